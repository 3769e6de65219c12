import { addMs, DAY, type EnvironmentContext, keysetCursor, type SystemContext } from "#foundation";
import { findUserNames } from "#people";
import type { Connection } from "../connection.ts";
import { toDay } from "../store.ts";
import { flushUses } from "./count-uses.ts";
import { deleteUsesBefore, listUseRows } from "./store.ts";

const DEFAULT_LIMIT = 100;
/** A leak is often found late; a row is small, and there is one for each connection, user of it and day. */
const KEPT_MS = 180 * DAY;
const cursors = keysetCursor({ radix: 36, separator: "." });

/** Who has used a connection's credentials, the latest first; throws invalid_cursor. */
export async function listUses(
  ctx: EnvironmentContext,
  options: {
    readonly connection: Connection;
    readonly limit: number | undefined;
    readonly cursor: string | undefined;
  },
) {
  const { connection, limit = DEFAULT_LIMIT, cursor } = options;
  await flushUses(ctx);
  const after = cursor === undefined ? undefined : cursors.read(cursor);
  const page = { connectionUuid: connection.uuid, after, limit: limit + 1 };
  const found = await listUseRows(ctx.db, ctx.environment.id, page);
  const shown = found.slice(0, limit);
  const people = shown.filter(({ kind, name }) => kind === "user" && name !== "");
  const names = await findUserNames(
    ctx.db,
    ctx.environment.accountId,
    people.map(({ name }) => name),
  );
  const last = found.length > limit ? shown.at(-1) : undefined;
  return {
    data: shown.map(({ kind, name, way, keyName, uses, firstAt, lastAt }) => ({
      kind,
      id: kind === "function" || name === "" ? null : name,
      name: kind === "function" && name !== "" ? name : (names.get(name) ?? keyName),
      way,
      uses,
      first_used_at: firstAt.toISOString(),
      last_used_at: lastAt.toISOString(),
    })),
    next_cursor: last === undefined ? null : cursors.write({ createdAt: last.lastAt, id: last.id }),
  };
}

export async function deleteOldUses(ctx: SystemContext): Promise<void> {
  await deleteUsesBefore(ctx.db, toDay(addMs(ctx.clock.now(), -KEPT_MS)));
}
