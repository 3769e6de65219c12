import type { SystemContext } from "#foundation";
import { listPasskeyOwners } from "../passkeys/store.ts";
import { listTotpOwners } from "../second-factor/store.ts";
import { listIdentityOwners } from "../sso/store.ts";
import { type GrantRow, listGrants, listGrantsOf, type UserRow } from "./store.ts";

/** A user as others see them. */
export async function presentUser(ctx: SystemContext, user: UserRow) {
  return present(user, await listGrants(ctx.db, user.id), await findWays(ctx, [user.id]));
}

export async function presentUsers(ctx: SystemContext, users: readonly UserRow[]) {
  const ids = users.map(({ id }) => id);
  const grants = Map.groupBy(await listGrantsOf(ctx.db, ids), ({ userId }) => userId);
  const ways = await findWays(ctx, ids);
  return users.map((user) => present(user, grants.get(user.id) ?? [], ways));
}

interface WaysOf {
  readonly passkeyOwners: ReadonlySet<string>;
  readonly identityOwners: ReadonlySet<string>;
  readonly totpOwners: ReadonlySet<string>;
}

async function findWays({ db }: SystemContext, ids: readonly string[]): Promise<WaysOf> {
  return {
    passkeyOwners: await listPasskeyOwners(db, ids),
    identityOwners: await listIdentityOwners(db, ids),
    totpOwners: await listTotpOwners(db, ids),
  };
}

function present(user: UserRow, grants: readonly GrantRow[], ways: WaysOf) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    grants: grants.map(presentGrant),
    ways: [
      ...(user.passwordHash === null ? [] : ["password" as const]),
      ...(ways.passkeyOwners.has(user.id) ? ["passkey" as const] : []),
      ...(ways.identityOwners.has(user.id) ? ["sso" as const] : []),
    ],
    has_totp: ways.totpOwners.has(user.id),
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
