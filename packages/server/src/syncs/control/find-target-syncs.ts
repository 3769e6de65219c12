import { getConnection } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import { type DeployedSync, listFunctions } from "#functions";
import { getIntegration, type Integration } from "#integrations";
import { listSyncs, type NamedSync } from "../store.ts";

export interface SyncTarget {
  readonly providerConfigKey: string;
  /** Undefined for all connections of the integration. */
  readonly connectionId: string | undefined;
  /** Empty for all. */
  readonly syncs: readonly { readonly name: string; readonly variant: string }[];
}

export interface TargetSyncs {
  readonly integration: Integration;
  readonly functions: ReadonlyMap<number, DeployedSync>;
  readonly syncs: readonly NamedSync[];
}

/** The schedules that a call names. */
export async function findTargetSyncs(
  ctx: EnvironmentContext,
  target: SyncTarget,
): Promise<TargetSyncs> {
  const integration = await getIntegration(ctx, target.providerConfigKey);
  const { connectionId } = target;
  const connection =
    connectionId === undefined
      ? undefined
      : await getConnection(ctx, { integration, connectionId });
  const deployed = await listFunctions(ctx, { integration, type: "sync" });
  const functions = new Map(deployed.map((fn) => [fn.id, fn]));
  const listed = await listSyncs(ctx.db, ctx.environment.id, {
    functionIds: [...functions.keys()],
    ...(connection === undefined ? {} : { connections: [connection.uuid] }),
  });
  const wanted = target.syncs.map(({ name, variant }) => `${name}::${variant}`);
  const syncs = listed.filter(
    ({ name, variant }) => wanted.length === 0 || wanted.includes(`${name}::${variant}`),
  );
  return { integration, functions, syncs };
}

/** As `findTargetSyncs`; 400 `no_syncs_found` when a sync that is named, or any at all, is missing. */
export async function getTargetSyncs(
  ctx: EnvironmentContext,
  target: SyncTarget,
): Promise<TargetSyncs> {
  const found = await findTargetSyncs(ctx, target);
  const names = new Set([...found.functions.values()].map(({ name }) => name));
  const missing = target.syncs.find(({ name, variant }) => {
    if (!names.has(name)) return true;
    if (target.connectionId === undefined && variant === "base") return false;
    return !found.syncs.some((sync) => sync.name === name && sync.variant === variant);
  });
  if (missing !== undefined) {
    throw new AppError(
      "no_syncs_found",
      `There is no sync "${missing.name}" of variant "${missing.variant}" here; see GET /sync/status for those that are.`,
    );
  }
  if (names.size === 0) throw new AppError("no_syncs_found");
  return found;
}
