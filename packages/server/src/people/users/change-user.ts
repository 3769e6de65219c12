import type { GrantedRole } from "@jackfield/contract";
import { lockAccount } from "#accounts";
import { noteBefore } from "#audit";
import { AppError, accountOf, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { endSessionsOf } from "../sessions/store.ts";
import { requireMayGrant, requireOwnEnvironments } from "./grants.ts";
import {
  deleteUserRow,
  findUser,
  getUser,
  hasEnabledOwner,
  listGrants,
  replaceGrants,
  toGrantedRole,
  type UserRow,
  updateUserRow,
} from "./store.ts";

export interface UserChange {
  readonly name: string | undefined;
  readonly grants: readonly GrantedRole[] | undefined;
  readonly isDisabled: boolean | undefined;
}

/**
 * Changes what is given of a user of the account. Throws not_found, forbidden for rights that the caller does not
 * hold, before or after, and last_owner.
 */
export async function changeUser(
  ctx: SystemContext,
  id: string,
  { name, grants, isDisabled }: UserChange,
): Promise<UserRow> {
  if (grants !== undefined) await requireOwnEnvironments(ctx, grants);
  return await withOwners(ctx, async (ctx) => {
    const user = await getChangeable(ctx, id);
    noteBefore(ctx, await toSent(ctx, user));
    const now = ctx.clock.now();
    if (grants !== undefined) {
      requireMayGrant(ctx, grants);
      await replaceGrants(ctx.db, id, { grants, now });
    }
    const disabledAt = isDisabled === true ? (user.disabledAt ?? now) : null;
    await updateUserRow(ctx.db, id, {
      name: name ?? user.name,
      disabledAt: isDisabled === undefined ? user.disabledAt : disabledAt,
    });
    if (isDisabled === true) await endSessionsOf(ctx.db, { userId: id, now });
    return await getUser(ctx.db, id);
  });
}

/** Removes a user of the account; throws like `changeUser`. */
export async function deleteUser(ctx: SystemContext, id: string): Promise<void> {
  await withOwners(ctx, async (ctx) => {
    noteBefore(ctx, await toSent(ctx, await getChangeable(ctx, id)));
    await deleteUserRow(ctx.db, id);
  });
}

/** A user as their fields are sent. */
async function toSent({ db }: SystemContext, { id, email, name, disabledAt }: UserRow) {
  const grants = (await listGrants(db, id)).map(
    ({ role, environments, environmentId, runsCode }) => ({
      role,
      environments,
      ...(environmentId !== null && { environment_id: environmentId }),
      ...(runsCode && { runs_code: true }),
    }),
  );
  return { email, name, grants, disabled: disabledAt !== null };
}

/** A user whom the caller may change; throws not_found and forbidden. */
export async function getChangeable(ctx: SystemContext, id: string): Promise<UserRow> {
  const user = await findUser(ctx.db, id);
  if (user === undefined || user.accountId !== accountOf(ctx.actor)) {
    throw new AppError("not_found", `The account has no user ${id}.`);
  }
  requireMayGrant(ctx, (await listGrants(ctx.db, id)).map(toGrantedRole));
  return user;
}

/** Makes changes of an account's people take turns, and undoes one that leaves no owner who can sign in. */
async function withOwners<Result>(
  ctx: SystemContext,
  work: (ctx: SystemContext) => Promise<Result>,
): Promise<Result> {
  const accountId = accountOf(ctx.actor);
  return await withTransaction(ctx, async (ctx) => {
    await lockAccount(ctx.db, accountId);
    const had = await hasEnabledOwner(ctx.db, accountId);
    const result = await work(ctx);
    if (had && !(await hasEnabledOwner(ctx.db, accountId))) throw new AppError("last_owner");
    return result;
  });
}
