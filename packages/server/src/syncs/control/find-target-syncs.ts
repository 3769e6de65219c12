import { type Connection, getConnection, pagesOfIntegration } from "#connections";
import { AppError, type ConnectionUuid, type EnvironmentContext } from "#foundation";
import { type DeployedSync, listFunctions } from "#functions";
import { getIntegration, type Integration } from "#integrations";
import { listSyncs, type NamedSync } from "../store.ts";
import { hasVariant } from "./store.ts";

export interface SyncTarget {
  readonly integrationKey: string;
  /** Undefined for all connections of the integration. */
  readonly connectionId: string | undefined;
  /** Empty for all. */
  readonly syncs: readonly { readonly name: string; readonly variant: string }[];
}

export type TargetFunctions = ReadonlyMap<number, DeployedSync>;

/** What a call names: all that there is of it but the schedules, of which there may be a hundred thousand. */
export interface FoundTarget {
  readonly integration: Integration;
  readonly functions: TargetFunctions;
  /** Undefined for all connections of the integration. */
  readonly connection: Connection | undefined;
  readonly named: SyncTarget["syncs"];
}

export async function findTarget(
  ctx: EnvironmentContext,
  { integrationKey, connectionId, syncs }: SyncTarget,
): Promise<FoundTarget> {
  const integration = await getIntegration(ctx, integrationKey);
  const connection =
    connectionId === undefined
      ? undefined
      : await getConnection(ctx, { integration, connectionId });
  const deployed = await listFunctions(ctx, { integration, type: "sync" });
  const functions = new Map(deployed.map((fn) => [fn.id, fn]));
  return { integration, functions, connection, named: syncs };
}

/** The schedules that a call names, of so many connections at a time. */
export async function* pagesOfTarget(
  ctx: EnvironmentContext,
  found: FoundTarget,
  connectionsAtOnce: number,
): AsyncGenerator<NamedSync[], undefined> {
  const { integration, connection } = found;
  if (connection !== undefined) {
    yield await listNamed(ctx, found, [connection.uuid]);
    return;
  }
  for await (const page of pagesOfIntegration(ctx, integration, connectionsAtOnce)) {
    const uuids = page.map(({ uuid }) => uuid);
    yield await listNamed(ctx, found, uuids);
  }
}

async function listNamed(
  ctx: EnvironmentContext,
  { functions, named }: FoundTarget,
  connections: readonly ConnectionUuid[],
): Promise<NamedSync[]> {
  const functionIds = [...functions.keys()];
  const listed = await listSyncs(ctx.db, ctx.environment.id, { functionIds, connections });
  if (named.length === 0) return listed;
  const wanted = new Set(named.map(({ name, variant }) => `${name}::${variant}`));
  return listed.filter(({ name, variant }) => wanted.has(`${name}::${variant}`));
}

interface TargetSyncs {
  readonly functions: TargetFunctions;
  readonly syncs: readonly NamedSync[];
}

/** The schedules of one connection that a call names. */
export async function findTargetSyncs(
  ctx: EnvironmentContext,
  target: SyncTarget & { readonly connectionId: string },
): Promise<TargetSyncs> {
  const found = await findTarget(ctx, target);
  const { functions, connection } = found;
  return {
    functions,
    syncs: connection === undefined ? [] : await listNamed(ctx, found, [connection.uuid]),
  };
}

/** As `findTargetSyncs`; 400 `no_syncs_found` when a sync that is named, or any at all, is missing. */
export async function getTargetSyncs(
  ctx: EnvironmentContext,
  target: SyncTarget & { readonly connectionId: string },
): Promise<TargetSyncs> {
  const found = await findTargetSyncs(ctx, target);
  requireNamed(target, found.functions, ({ name, variant }) =>
    found.syncs.some((sync) => sync.name === name && sync.variant === variant),
  );
  return found;
}

/** As `findTarget`; 400 `no_syncs_found` when a sync that is named, or any at all, is missing. */
export async function getTarget(ctx: EnvironmentContext, target: SyncTarget): Promise<FoundTarget> {
  const found = await findTarget(ctx, target);
  const { connection, functions } = found;
  const known = new Set<string>();
  if (connection !== undefined) {
    const syncs = await listNamed(ctx, found, [connection.uuid]);
    for (const { name, variant } of syncs) known.add(`${name}::${variant}`);
  } else {
    for (const { name, variant } of target.syncs) {
      const functionIds = [...functions.values()]
        .filter((fn) => fn.name === name)
        .map(({ id }) => id);
      const isKnown =
        variant === "base" ||
        (await hasVariant(ctx.db, ctx.environment.id, { functionIds, variant }));
      if (isKnown) known.add(`${name}::${variant}`);
    }
  }
  requireNamed(target, functions, ({ name, variant }) => known.has(`${name}::${variant}`));
  return found;
}

function requireNamed(
  target: SyncTarget,
  functions: TargetFunctions,
  isThere: (named: SyncTarget["syncs"][number]) => boolean,
): void {
  const names = new Set([...functions.values()].map(({ name }) => name));
  const missing = target.syncs.find((named) => !names.has(named.name) || !isThere(named));
  if (missing !== undefined) {
    throw new AppError(
      "no_syncs_found",
      `There is no sync "${missing.name}" of variant "${missing.variant}" here; see GET /sync/status for those that are.`,
    );
  }
  if (names.size === 0) throw new AppError("no_syncs_found");
}
