import type { Connection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { prepareCall } from "./request/prepare-call.ts";
import { toTarget } from "./request/target.ts";

/**
 * Where a call with this path would go, as the path below the base address of the connection's calls: with a slash at
 * its start, as it is sent. Throws what a call throws that leaves the base.
 */
export async function findPathBelowBase(
  ctx: EnvironmentContext,
  of: { readonly integration: Integration; readonly connection: Connection },
  path: string,
): Promise<string> {
  const { baseUrl } = await prepareCall(ctx, {
    ...{ ...of, method: "GET", path, headers: [], override: undefined },
    ...{ retries: 0, retryOn: [], patience: { kind: "none" }, followRedirects: false },
    readBody: async () => ({ kind: "none" }),
  });
  const target = toTarget(baseUrl, path);
  const base = toTarget(baseUrl, "").path;
  return `/${target.path.slice(base.length)}`;
}
