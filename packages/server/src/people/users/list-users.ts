import { accountOf, keysetCursor, type SystemContext } from "#foundation";
import { listUserPage, type UserRow } from "./store.ts";

const cursors = keysetCursor({ radix: 36, separator: "." });

const USUAL_PAGE = 100;

/** A page of the account's users, oldest first; throws invalid_cursor. */
export async function listUsers(
  ctx: SystemContext,
  { limit = USUAL_PAGE, cursor }: { limit: number | undefined; cursor: string | undefined },
): Promise<{ users: UserRow[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : cursors.read(cursor);
  const found = await listUserPage(ctx.db, accountOf(ctx.actor), { limit: limit + 1, after });
  const users = found.slice(0, limit);
  const last = users.at(-1);
  const nextCursor = found.length > limit && last !== undefined ? cursors.write(last) : null;
  return { users, nextCursor };
}
