import { noteBefore } from "#audit";
import { AppError, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { type KeyOwner, nameOwner } from "./key-owner.ts";
import { deleteKey, type ListedKey, listKeys } from "./store.ts";

/** Deletes a key, and returns its name; throws not_found. */
export async function deleteApiKey(
  ctx: SystemContext,
  owner: KeyOwner,
  id: string,
): Promise<string> {
  return await withTransaction(ctx, async (ctx) => {
    const key = (await listKeys(ctx.db, owner)).find((each) => each.id === id);
    if (key !== undefined) noteBefore(ctx, toSent(key));
    const name = await deleteKey(ctx.db, owner, { id, now: ctx.clock.now() });
    if (name !== undefined) return name;
    throw new AppError("not_found", `The ${nameOwner(owner)} has no key ${id}.`);
  });
}

/** A key as its fields are sent. */
export function toSent({ displayName, scopes, expiresAt }: ListedKey) {
  return { display_name: displayName, scopes, expires_at: expiresAt?.toISOString() ?? null };
}
