import type { Role } from "@jackfield/contract";
import type { SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { endSessionsOf } from "../sessions/store.ts";
import {
  type GrantRow,
  listAllUsers,
  listGrantsOf,
  replaceGrants,
  type UserRow,
  updateUserRow,
} from "./store.ts";

type OperatorContext = Pick<SystemContext, "db" | "clock">;

/** Everybody in the installation, oldest first, for who can read the database. */
export async function listPeople({
  db,
}: Pick<SystemContext, "db">): Promise<{ user: UserRow; grants: GrantRow[] }[]> {
  const users = await listAllUsers(db);
  const grants = await listGrantsOf(
    db,
    users.map(({ id }) => id),
  );
  const byUser = Map.groupBy(grants, ({ userId }) => userId);
  return users.map((user) => ({ user, grants: byUser.get(user.id) ?? [] }));
}

/** Gives a role everywhere in place of other grants, and lets the user sign in again. */
export async function grantByOperator(
  ctx: OperatorContext,
  { id, name }: UserRow,
  role: Role,
): Promise<void> {
  await withTransaction(ctx, async ({ db, clock }) => {
    await replaceGrants(db, id, { grants: [{ role, environments: "all" }], now: clock.now() });
    await updateUserRow(db, id, { name, disabledAt: null });
  });
}

/** Ends all sessions of the user, who can begin none. The operator may do so to the last owner, too. */
export async function disableByOperator(
  ctx: OperatorContext,
  { id, name }: UserRow,
): Promise<void> {
  await withTransaction(ctx, async ({ db, clock }) => {
    const now = clock.now();
    await updateUserRow(db, id, { name, disabledAt: now });
    await endSessionsOf(db, { userId: id, now });
  });
}
