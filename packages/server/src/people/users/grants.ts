import { type GrantedRole, isGrantCovered, scopesInAccount } from "@jackfield/contract";
import { listEnvironments } from "#environments";
import { AppError, accountOf, holdsScope, type SystemContext, scopesOf } from "#foundation";

/** As it is sent. */
export interface SentGrant {
  readonly role: GrantedRole["role"];
  readonly environments: GrantedRole["environments"];
  readonly environment_id?: string | undefined;
  readonly runs_code?: boolean | undefined;
}

export function toGrants(sent: readonly SentGrant[]): GrantedRole[] {
  const grants = sent.map(({ role, environments, environment_id, runs_code }) => ({
    role,
    environments,
    environmentId: environment_id?.toLowerCase(),
    runsCode: runs_code ?? false,
  }));
  return [...new Map(grants.map((grant) => [JSON.stringify(grant), grant])).values()];
}

/**
 * Nobody gives rights that they do not hold, nor changes somebody who holds more: throws forbidden. Rights in
 * environments may be given by those who may make any key of any environment.
 */
export function requireMayGrant(ctx: SystemContext, grants: readonly GrantedRole[]): void {
  const held = scopesOf(ctx.actor);
  const beyond = scopesInAccount(grants).filter((scope) => !isGrantCovered(held, scope));
  if (!holdsScope(ctx.actor, "account:environments:api_keys:create")) {
    beyond.push("account:environments:api_keys:create");
  }
  if (beyond.length === 0) return;
  const names = beyond.map((scope) => `\`${scope}\``).join(", ");
  throw new AppError(
    "forbidden",
    `To give these rights, or to change who has them, takes ${names}: ask an owner.`,
  );
}

/** Throws not_found for an environment that the account does not have. */
export async function requireOwnEnvironments(
  ctx: SystemContext,
  grants: readonly GrantedRole[],
): Promise<void> {
  const named = grants.flatMap(({ environmentId }) => environmentId ?? []);
  if (named.length === 0) return;
  const known = await listEnvironments(ctx.db, accountOf(ctx.actor));
  const unknown = named.find((id) => !known.some((environment) => environment.id === id));
  if (unknown === undefined) return;
  throw new AppError("not_found", `The account has no environment ${unknown}.`);
}
