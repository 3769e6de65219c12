import type { EnvironmentContext, SystemContext } from "#platform";
import { withTransaction } from "#platform/db";
import { recordAudit } from "../record-audit.ts";
import { detailLookup, hashOfEntered } from "./digest.ts";
import { deleteDetails } from "./store.ts";

export interface ErasedPerson {
  readonly accountId: string;
  /** Who signs in; undefined for an end user. */
  readonly userId?: string | undefined;
  readonly emails?: readonly string[] | undefined;
  /** End users, and their connections, in one environment. */
  readonly environmentId?: string | undefined;
  readonly endUserIds?: readonly string[] | undefined;
  readonly connectionIds?: readonly string[] | undefined;
}

/**
 * Erases names, addresses and ids of a person from the audit log, in the caller's transaction where there is one:
 * what was done stays, and the chain still verifies. Leaves a row with the number of details, which it resolves to.
 */
export async function eraseAuditDetails(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  person: ErasedPerson,
): Promise<number> {
  const { accountId, environmentId = null } = person;
  const named: (readonly [string, string | null, string])[] = [
    ...(person.userId === undefined ? [] : [["user", null, person.userId] as const]),
    ...(person.emails ?? []).map((email) => ["email", null, email] as const),
    ...(person.endUserIds ?? []).map((id) => ["end_user_id", environmentId, id] as const),
    ...(person.connectionIds ?? []).map((id) => ["connection_id", environmentId, id] as const),
  ];
  for (const email of person.emails ?? []) {
    named.push(["email", null, await hashOfEntered(ctx, email)]);
  }
  const lookups = await Promise.all(
    named.map(async ([kind, scope, value]) => await detailLookup(ctx, { kind, scope, value })),
  );
  return await withTransaction(ctx, async (ctx) => {
    const erased = await deleteDetails(ctx.db, lookups);
    if (erased === 0) return 0;
    await recordAudit(ctx, {
      ...{ accountId, environmentId, via: "system", action: ERASURE, target: {}, before: null },
      actor: { kind: "system", id: null, name: null, address: null, user_agent: null },
      fields: { details: String(erased) },
      ...{ requestId: null, outcome: "done", code: null },
    });
    return erased;
  });
}

/** Action of the rows that say how many details were erased. */
export const ERASURE = "eraseAuditDetails";

/** Of an end user of one environment, as connections of theirs and what was sent name them. */
export async function eraseNamesFromAudit(
  ctx: EnvironmentContext,
  {
    endUserId,
    names,
    words,
  }: {
    readonly endUserId: string;
    readonly names: readonly string[];
    readonly words: readonly string[];
  },
): Promise<number> {
  const { id: environmentId, accountId } = ctx.environment;
  const connectionIds = [...new Set([...names, ...words])];
  const endUserIds = [...new Set([endUserId, ...words])];
  return await eraseAuditDetails(ctx, { accountId, environmentId, connectionIds, endUserIds });
}
