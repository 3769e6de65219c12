import type { Connection } from "#connections";
import { addMs, type EnvironmentContext, HOUR, type SystemContext } from "#foundation";
import { type AssociatedData, open, seal } from "#vault";
import { deleteResultsBefore, findResult, insertResult } from "./store.ts";

const KEPT_MS = HOUR;
/** Of one connection. */
const KEPT_RESULTS = 100;
const PREFIX = "res_";

/** Who may read a result: callers with a connection's credentials, or one session of an agent. */
export type ResultOwner =
  | { readonly connection: Pick<Connection, "uuid">; readonly sessionId?: string | undefined }
  | { readonly connection: undefined; readonly sessionId: string };

/** Who asks for a result; a session reads those of all its connections. */
export type ResultReader =
  | { readonly connection: Pick<Connection, "uuid"> }
  | { readonly sessionId: string };

/** Stores the JSON text of a result for an hour; resolves to the handle by which its owner reads it. */
export async function storeResult(
  ctx: EnvironmentContext,
  { connection, sessionId }: ResultOwner,
  json: Uint8Array,
): Promise<string> {
  const createdAt = ctx.clock.now();
  const id = crypto.randomUUID();
  await insertResult(ctx.db, ctx.environment.id, {
    ...{ id, createdAt, connectionUuid: connection?.uuid, sessionId },
    value: await seal(ctx, aadOf(ctx, id), json),
    kept: KEPT_RESULTS - 1,
  });
  return PREFIX + id;
}

/** Undefined for a handle of another owner, one that has expired and what is no handle. */
export async function findStoredResult(
  ctx: EnvironmentContext,
  reader: ResultReader,
  handle: string,
): Promise<unknown> {
  const id = /^res_([0-9a-f-]{36})$/.exec(handle)?.[1];
  if (id === undefined) return undefined;
  const sealed = await findResult(ctx.db, ctx.environment.id, {
    id,
    owner: "sessionId" in reader ? reader : { connectionUuid: reader.connection.uuid },
    since: addMs(ctx.clock.now(), -KEPT_MS),
  });
  if (sealed === undefined) return undefined;
  return JSON.parse(Buffer.from(await open(ctx, aadOf(ctx, id), sealed)).toString());
}

/** Run every day; what has expired is not readable before that either. */
export async function deleteExpiredResults(ctx: SystemContext): Promise<void> {
  await deleteResultsBefore(ctx.db, addMs(ctx.clock.now(), -KEPT_MS));
}

function aadOf(ctx: EnvironmentContext, row: string): AssociatedData {
  return { environmentId: ctx.environment.id, table: "tool_results", column: "value", row };
}
