import { noteBefore } from "#audit";
import { AppError, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { requireFreeName } from "./add-api-key.ts";
import { toSent } from "./delete-api-key.ts";
import { type Grant, requireForAgent, requireFuture, requireHeld } from "./grants.ts";
import { type KeyOwner, lockOwner, nameOwner } from "./key-owner.ts";
import { type ListedKey, listKeys, updateKey } from "./store.ts";

export interface KeyChange extends Partial<Grant> {
  readonly displayName?: string | undefined;
}

/**
 * Changes what is given of a key. Who changes scopes or end must hold what the key may do before and after,
 * so that nobody gains by changing another's key: throws forbidden, not_found, conflict for a name in use,
 * invalid_body for an end that has passed.
 */
export async function updateApiKey(
  ctx: SystemContext,
  owner: KeyOwner,
  { id, ...change }: { id: string } & KeyChange,
): Promise<ListedKey> {
  return await withTransaction(ctx, async (ctx) => {
    await lockOwner(ctx, owner);
    const known = await listKeys(ctx.db, owner);
    const key = known.find((each) => each.id === id);
    if (key === undefined) {
      throw new AppError("not_found", `The ${nameOwner(owner)} has no key ${id}.`);
    }
    const { displayName = key.displayName, expiresAt = key.expiresAt } = change;
    const scopes = [...new Set(change.scopes ?? key.scopes)];
    if (displayName !== key.displayName) requireFreeName(known, displayName);
    if (key.boundTo !== null) requireForAgent(scopes);
    if (change.scopes !== undefined || change.expiresAt !== undefined) {
      requireHeld(ctx, { scopes: [...key.scopes, ...scopes], expiresAt });
    }
    if (change.expiresAt !== undefined) requireFuture(ctx, expiresAt);
    noteBefore(ctx, toSent(key));
    const changed = { displayName, scopes, expiresAt };
    await updateKey(ctx.db, owner, { id, ...changed });
    return { ...key, ...changed };
  });
}
