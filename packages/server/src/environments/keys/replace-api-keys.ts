import { randomUUID } from "node:crypto";
import { AppError, addMs, holdsScope, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { type AddedKey, creatorOf, requireRoom } from "./add-api-key.ts";
import { createApiKey } from "./create-api-key.ts";
import { requireHeld } from "./grants.ts";
import { type KeyOwner, lockOwner, nameOwner } from "./key-owner.ts";
import { deleteKey, type ListedKey, listKeys, markReplaced, updateKey } from "./store.ts";

export interface Replacement {
  readonly replacedId: string;
  /** Null: it has stopped working. */
  readonly worksUntil: Date | null;
  readonly key: AddedKey;
}

/** Leaves room for the suffix within 255 characters. */
const MOST_OF_NAME = 230;

/**
 * Makes a key like each of those named and ends these, now or after the grace period; all of them or none. Throws
 * not_found, forbidden for more than the caller may grant or without the scope to delete keys, resource_capped
 * where old and new keys together would be more than an owner may have.
 */
export async function replaceApiKeys(
  ctx: SystemContext,
  owner: KeyOwner,
  { ids, graceMs }: { ids: readonly string[]; graceMs: number },
): Promise<Replacement[]> {
  requireMayDelete(ctx, owner);
  return await withTransaction(ctx, async (ctx) => {
    await lockOwner(ctx, owner);
    const known = await listKeys(ctx.db, owner);
    const old = [...new Set(ids)].map((id) => requireKey(known, owner, id));
    for (const key of old) requireHeld(ctx, key);
    if (graceMs > 0) requireRoom(owner, known.length + old.length - 1);
    const replacements: Replacement[] = [];
    for (const key of old) {
      const worksUntil = await endKey(ctx, owner, key, graceMs);
      const copy = await copyKey(ctx, owner, key);
      await markReplaced(ctx.db, owner, { id: key.id, replacedBy: copy.id });
      replacements.push({ replacedId: key.id, worksUntil, key: copy });
    }
    return replacements;
  });
}

function requireMayDelete({ actor }: SystemContext, { environmentId }: KeyOwner): void {
  const scopes =
    environmentId === null
      ? (["account:api_keys:delete"] as const)
      : (["environment:api_keys:delete", "account:environments:api_keys:delete"] as const);
  if (scopes.some((scope) => holdsScope(actor, scope))) return;
  const [own, ofAccount] = scopes;
  const other = ofAccount === undefined ? "" : ` (\`${ofAccount}\` for a key of the account)`;
  throw new AppError("forbidden", `Replacing a key needs the scope \`${own}\` too${other}.`);
}

function requireKey(known: readonly ListedKey[], owner: KeyOwner, id: string): ListedKey {
  const key = known.find((each) => each.id === id);
  if (key !== undefined) return key;
  throw new AppError("not_found", `The ${nameOwner(owner)} has no key ${id}; none was replaced.`);
}

async function endKey(
  ctx: SystemContext,
  owner: KeyOwner,
  key: ListedKey,
  graceMs: number,
): Promise<Date | null> {
  const now = ctx.clock.now();
  const { id, displayName, scopes } = key;
  if (graceMs === 0) {
    await deleteKey(ctx.db, owner, { id, now });
    return null;
  }
  const end = addMs(now, graceMs);
  const expiresAt = key.expiresAt !== null && key.expiresAt < end ? key.expiresAt : end;
  const name = `${displayName.slice(0, MOST_OF_NAME)} (replaced, ${id.slice(0, 8)})`;
  await updateKey(ctx.db, owner, { id, displayName: name, scopes, expiresAt });
  return expiresAt;
}

async function copyKey(ctx: SystemContext, owner: KeyOwner, key: ListedKey): Promise<AddedKey> {
  const { displayName, scopes, expiresAt, boundTo } = key;
  const createdBy = creatorOf(ctx);
  const row = { ...owner, id: randomUUID(), displayName, scopes, expiresAt, boundTo, createdBy };
  const secret = await createApiKey(ctx, row);
  const unused = { lastUsedAt: null, lastUsedFrom: null, replacedBy: null };
  return { ...row, ...unused, secret, createdAt: ctx.clock.now() };
}
