import type { SystemContext } from "#platform";
import { type GrantRow, listGrants, listGrantsOf, type UserRow } from "./store.ts";

/** A user as others see them. */
export async function presentUser(ctx: SystemContext, user: UserRow) {
  return present(user, await listGrants(ctx.db, user.id));
}

export async function presentUsers(ctx: SystemContext, users: readonly UserRow[]) {
  const ids = users.map(({ id }) => id);
  const grants = Map.groupBy(await listGrantsOf(ctx.db, ids), ({ userId }) => userId);
  return users.map((user) => present(user, grants.get(user.id) ?? []));
}

function present(user: UserRow, grants: readonly GrantRow[]) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    grants: grants.map(presentGrant),
    ways: user.passwordHash === null ? [] : ["password" as const],
    created_at: user.createdAt.toISOString(),
    last_sign_in_at: user.lastSignInAt?.toISOString() ?? null,
    disabled_at: user.disabledAt?.toISOString() ?? null,
  };
}

function presentGrant({ role, environments, environmentId, runsCode }: GrantRow) {
  return {
    role,
    environments,
    ...(environmentId === null ? {} : { environment_id: environmentId }),
    ...(runsCode ? { runs_code: true } : {}),
  };
}
