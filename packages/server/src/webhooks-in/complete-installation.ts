import { completeConnection, findConnectionsBy } from "#connections";
import type { EnvironmentContext } from "#platform";
import { findRouter } from "./find-router.ts";
import { type Handling, openRequest } from "./handle-webhook.ts";
import { decodeContent } from "./kept-request.ts";
import type { Completion } from "./router.ts";

/** Makes the connection usable that waits for what the webhook tells (decisions 62); calls the provider. */
export async function completeInstallation(
  ctx: EnvironmentContext,
  { integration, webhook }: Handling,
): Promise<void> {
  const request = await decodeContent(await openRequest(ctx, webhook));
  for (const { completes } of findRouter(integration).read(request)) {
    if (completes !== undefined) await complete(ctx, { integration, completes });
  }
}

async function complete(
  ctx: EnvironmentContext,
  { integration, completes }: Pick<Handling, "integration"> & { completes: Completion },
): Promise<void> {
  const wanted = Object.entries(completes.config);
  const [first] = wanted;
  if (first === undefined) return;
  const [key, value] = first;
  const named = await findConnectionsBy(ctx, integration, { property: `config.${key}`, value });
  const fitting = named.filter(({ connectionConfig }) =>
    wanted.every(([name, text]) => connectionConfig[name] === text),
  );
  // Of several that began to install it, the last is the one whose user just confirmed.
  for (const connection of fitting.toReversed()) {
    const told = { integration, connection, told: completes.params };
    if ((await completeConnection(ctx, told)) !== undefined) return;
  }
}
