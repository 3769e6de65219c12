import { scopesInAccount, scopesInEnvironment } from "@jackfield/contract";
import { listEnvironments } from "#environments";
import type { SystemContext } from "#platform";
import type { UserActor } from "./require-user.ts";
import { presentSecondFactor } from "./second-factor/present-second-factor.ts";
import { csrfTokenOf } from "./sessions/csrf-token.ts";
import { getSession } from "./sessions/store.ts";
import { presentUser } from "./users/present-user.ts";
import { getAccountName, getUser, listGrants, toGrantedRole } from "./users/store.ts";

/** The user of a session, and what that one may do where. */
export async function presentMe(ctx: SystemContext, { userId, accountId, sessionId }: UserActor) {
  const session = await getSession(ctx.db, sessionId);
  const grants = (await listGrants(ctx.db, userId)).map(toGrantedRole);
  const environments = await listEnvironments(ctx.db, accountId);
  return {
    user: await presentUser(ctx, await getUser(ctx.db, userId)),
    account: { id: accountId, name: await getAccountName(ctx.db, accountId) },
    account_scopes: scopesInAccount(grants),
    environments: environments
      .map(({ id, name, isProduction }) => {
        const scopes = scopesInEnvironment(grants, { id, isProduction });
        return { id, name, is_production: isProduction, scopes };
      })
      .filter(({ scopes }) => scopes.length > 0),
    session: {
      id: sessionId,
      expires_at: session.expiresAt.toISOString(),
      elevated_until: session.elevatedUntil?.toISOString() ?? null,
    },
    second_factor: await presentSecondFactor(ctx, { userId, accountId, grants, session }),
    csrf_token: await csrfTokenOf(ctx, sessionId),
  };
}
