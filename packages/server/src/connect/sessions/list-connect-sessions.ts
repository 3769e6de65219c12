import { type EnvironmentContext, keysetCursor } from "#foundation";
import { type ListedSession, listSessions } from "./store.ts";

const cursors = keysetCursor({ radix: 36, separator: "." });

/** Connect sessions that still exist, newest first; throws invalid_cursor. */
export async function listConnectSessions(
  ctx: EnvironmentContext,
  wanted: { isOpen: boolean | undefined; limit: number; cursor: string | undefined },
): Promise<{ sessions: ListedSession[]; nextCursor: string | null }> {
  const { isOpen, limit, cursor } = wanted;
  const after = cursor === undefined ? undefined : cursors.read(cursor);
  const page = { isOpen, after, limit: limit + 1, now: ctx.clock.now() };
  const found = await listSessions(ctx.db, ctx.environment.id, page);
  const sessions = found.slice(0, limit);
  const last = found.length > limit ? sessions.at(-1) : undefined;
  return { sessions, nextCursor: last === undefined ? null : cursors.write(last) };
}
