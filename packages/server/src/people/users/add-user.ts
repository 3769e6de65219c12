import { randomUUID } from "node:crypto";
import type { GrantedRole } from "@jackfield/contract";
import { lockAccount } from "#accounts";
import { AppError, accountOf, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { type NewLink, newUserLink } from "../links/user-link.ts";
import { requireMayGrant, requireOwnEnvironments } from "./grants.ts";
import { countUsers, getUser, insertUser, replaceGrants, type UserRow } from "./store.ts";

const MOST_USERS = 10_000;

/**
 * Adds a person who chooses by the link how to sign in. Throws forbidden for rights that the caller does not hold,
 * conflict for an address in use, resource_capped at 10,000 users.
 */
export async function addUser(
  ctx: SystemContext,
  { email, name, grants }: { email: string; name: string; grants: readonly GrantedRole[] },
): Promise<{ user: UserRow; link: NewLink }> {
  const accountId = accountOf(ctx.actor);
  requireMayGrant(ctx, grants);
  await requireOwnEnvironments(ctx, grants);
  return await withTransaction(ctx, async (ctx) => {
    await lockAccount(ctx.db, accountId);
    if ((await countUsers(ctx.db, accountId)) >= MOST_USERS) {
      throw new AppError(
        "resource_capped",
        `The account has ${MOST_USERS} users, which is the limit.`,
      );
    }
    const id = randomUUID();
    const createdAt = ctx.clock.now();
    if (!(await insertUser(ctx.db, { id, accountId, email, name, createdAt }))) {
      throw new AppError("conflict", `There is a user ${email} already.`);
    }
    await replaceGrants(ctx.db, id, { grants, now: createdAt });
    const user = await getUser(ctx.db, id);
    return { user, link: await newUserLink(ctx, user) };
  });
}
