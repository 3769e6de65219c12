import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import type { DeployedFunction } from "../deployed-function.ts";
import { readDefinition } from "../store.ts";
import type { CanaryFunction, CanaryId } from "./canary.ts";
import { findRunningCanary, listCanaryFunctions, listCanaryMembers } from "./store.ts";

/** The canary that an environment runs. */
export interface ActiveCanary {
  readonly id: CanaryId;
  readonly functionIds: ReadonlySet<number>;
  readonly connections: ReadonlySet<ConnectionUuid>;
}

// Also that there is none is remembered: every run asks.
const active = defineCache<{ readonly canary: ActiveCanary | undefined }>({
  maxEntries: 10_000,
  maxWeight: 1_000_000,
});

/** For hot paths: a canary that another process started or ended holds within a second. */
export async function findActiveCanary(ctx: EnvironmentContext): Promise<ActiveCanary | undefined> {
  const { id: environmentId } = ctx.environment;
  const found = await active.find(ctx, environmentId, async () => {
    const rows = [`canaries ${environmentId}`];
    const running = await findRunningCanary(ctx.db, environmentId);
    if (running === undefined) return { value: { canary: undefined }, rows };
    const { functionIds, connections } = await listCanaryMembers(ctx.db, running.id);
    const canary = {
      id: running.id,
      functionIds: new Set(functionIds),
      connections: new Set(connections),
    };
    return { value: { canary }, rows, weight: 1 + functionIds.length + connections.length };
  });
  return found?.canary;
}

const versions = defineCache<CanaryFunction>({ maxEntries: 2000 });

/** The version of a function that a connection runs: that of a canary where the connection was chosen for one. */
export async function findVersionFor<Fn extends DeployedFunction>(
  ctx: EnvironmentContext,
  fn: Fn,
  connection: ConnectionUuid,
): Promise<Fn> {
  const canary = await findActiveCanary(ctx);
  if (canary === undefined || !canary.functionIds.has(fn.id)) return fn;
  if (!canary.connections.has(connection)) return fn;
  const { id: environmentId } = ctx.environment;
  const version = await versions.find(ctx, `${canary.id} ${fn.id}`, async () => {
    const [value] = await listCanaryFunctions(ctx.db, canary.id, { functionId: fn.id });
    return value && { value, rows: [`canaries ${environmentId}`] };
  });
  return version === undefined ? fn : withVersion(fn, version, canary.id);
}

// The row was written of an upload of the same function, and so of the same type.
function withVersion<Fn extends DeployedFunction>(
  fn: Fn,
  { version, definition, bundleSha256 }: CanaryFunction,
  canaryId: CanaryId,
): Fn {
  return {
    ...fn,
    version: version ?? fn.version,
    definition: readDefinition(definition),
    bundleSha256,
    canaryId,
  } as Fn;
}
