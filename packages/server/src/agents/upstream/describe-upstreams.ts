import type { EnvironmentContext } from "#foundation";
import { estimateTokens, presentToolFor } from "#functions";
import type { Integration } from "#integrations";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import { signatureOf } from "../catalogue/signature.ts";
import { toolNameOf } from "../catalogue/tool-name.ts";
import { strictestEffect } from "../toolsets/toolset.ts";
import { listAllowed } from "./store.ts";
import { toShown } from "./to-shown.ts";
import { effectOf, sendsOf, type UpstreamVersion } from "./upstream.ts";

const LONGEST_SUMMARY = 300;

/** The tools of other MCP servers that somebody has allowed, each once, by the id of their integration. */
export async function describeUpstreams(
  ctx: EnvironmentContext,
  integrations: readonly Integration[],
): Promise<ReadonlyMap<number, readonly CatalogueTool[]>> {
  const versions = await listAllowed(ctx.db, ctx.environment.id);
  const byIntegration = Map.groupBy(versions, (each) => each.integrationId);
  return new Map(
    integrations.flatMap(({ id, uniqueKey }): [number, CatalogueTool[]][] => {
      const own = byIntegration.get(id);
      if (own === undefined) return [];
      const named = [...Map.groupBy(own, ({ name }) => name).values()];
      return [[id, named.map((each) => describeVersions(uniqueKey, each))]];
    }),
  );
}

/** A tool as its newest version says; `versions` has at least one. */
export function describeVersions(
  integration: string,
  versions: readonly UpstreamVersion[],
): CatalogueTool {
  const [newest] = versions;
  if (newest === undefined) throw new Error("a tool has a version");
  const { name: action, integrationId, definition } = newest;
  const { title, description, inputSchema, outputSchema } = definition;
  const name = toolNameOf(integration, action);
  return {
    ...{ source: "upstream", name, integration, action, integrationId, title, versions },
    summary: description.slice(0, LONGEST_SUMMARY),
    ...{ effect: strictestEffect(versions.map(effectOf)), sends: versions.some(sendsOf) },
    ...{ isUntrusted: true, asks: false, isResource: false },
    signature: signatureOf(inputSchema, outputSchema),
    tokens: estimateTokens(presentToolFor("mcp", name, toShown(newest))),
  };
}
