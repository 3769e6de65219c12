import { accountOf, keysetCursor, type SystemContext } from "#foundation";
import { withDetails } from "./details/with-details.ts";
import { type AuditFilter, type AuditRow, listEvents } from "./store.ts";

const cursors = keysetCursor({ radix: 36, separator: "." });
const EXPORTED_AT_ONCE = 500;

/** Events of the caller's account, newest first; throws invalid_cursor. */
export async function listAuditEvents(
  ctx: SystemContext,
  { filter, limit, cursor }: { filter: AuditFilter; limit: number; cursor: string | undefined },
): Promise<{ events: AuditRow[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : cursors.read(cursor);
  const accountId = accountOf(ctx.actor);
  const found = await listEvents(ctx.db, accountId, { filter, after, limit: limit + 1 });
  const kept = found.slice(0, limit);
  const last = found.length > limit ? kept.at(-1) : undefined;
  const events = await withDetails(ctx, kept);
  const nextCursor = last === undefined ? null : cursors.write({ createdAt: last.at, id: last.id });
  return { events, nextCursor };
}

/** All of them, a page at a time. */
export async function* readAuditEvents(
  ctx: SystemContext,
  filter: AuditFilter,
): AsyncGenerator<AuditRow> {
  let cursor: string | undefined;
  do {
    const page = await listAuditEvents(ctx, { filter, limit: EXPORTED_AT_ONCE, cursor });
    yield* page.events;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
