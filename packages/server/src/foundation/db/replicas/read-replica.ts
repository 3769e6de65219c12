import type { EnvironmentId } from "../../ids.ts";
import { type ServerStates, serverState } from "../../server-state.ts";
import type { Db } from "../owned-db.ts";
import type { ReplicaSet } from "./replica-set.ts";

/** The replicas of this server; undefined without any. */
export const replicas = serverState<ReplicaSet | undefined>(() => undefined);

interface Reading {
  readonly db: Db;
  readonly state: ServerStates;
  readonly environment: { readonly id: EnvironmentId };
}

/**
 * Reads on a replica that has everything that was committed when the reading began, anywhere and by anybody; on the
 * primary where there is none at the moment, and in a transaction. `read` may be called twice.
 */
export async function readReplica<Result>(
  ctx: Reading,
  read: (db: Db) => Promise<Result>,
): Promise<Result> {
  const set = replicas.of(ctx);
  if (set === undefined || ctx.db.isTransaction) return await read(ctx.db);
  return await set.read(ctx, read);
}
