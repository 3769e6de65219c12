import type { EnvironmentContext, SystemContext } from "#foundation";
import { type Db, withTransaction } from "#foundation/db";
import { deleteReadsOfAccount } from "../reads/store.ts";
import { recordAudit } from "../record-audit.ts";
import { detailLookup, hashOfEntered } from "./digest.ts";
import { deleteDetails, deleteDetailsOfAccount, deleteNamesOfAccount } from "./store.ts";

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
    await recordErasure(ctx, { accountId, environmentId, erased });
    return erased;
  });
}

/** What is missing without such a row is a fault of the log. */
async function recordErasure(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  { erased, ...where }: { accountId: string; environmentId: string | null; erased: number },
): Promise<void> {
  if (erased === 0) return;
  await recordAudit(ctx, {
    ...{ ...where, via: "system", action: ERASURE, target: {}, before: null },
    actor: { kind: "system", id: null, name: null, address: null, user_agent: null },
    fields: { details: String(erased) },
    ...{ requestId: null, outcome: "done", code: null },
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

const AT_ONCE = 2000;

/**
 * Erases every name, address and id of a person from the rows of an account that goes, what it was called from the rows
 * of who looked after it, and how often its keys have read credentials; the rows stay, and the chain still verifies.
 * Resolves to the number of details.
 */
export async function eraseAuditNamesOfAccount(
  ctx: Pick<SystemContext, "db" | "clock" | "keys" | "signal">,
  account: { readonly id: string; readonly name: string; readonly createdAt: Date },
): Promise<number> {
  await deleteReadsOfAccount(ctx.db, account.id);
  const erase = async (take: (db: Db) => Promise<number>) =>
    await withTransaction(ctx, async (ctx) => {
      const erased = await take(ctx.db);
      await recordErasure(ctx, { accountId: account.id, environmentId: null, erased });
      return erased;
    });
  let total = await erase(async (db) => await deleteNamesOfAccount(db, account));
  let count = AT_ONCE;
  while (count === AT_ONCE) {
    ctx.signal.throwIfAborted();
    const page = { except: ERASURE, limit: AT_ONCE };
    count = await erase(async (db) => await deleteDetailsOfAccount(db, account.id, page));
    total += count;
  }
  return total;
}
