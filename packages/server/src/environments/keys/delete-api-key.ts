import { AppError, type SystemContext } from "#platform";
import { type KeyOwner, nameOwner } from "./key-owner.ts";
import { deleteKey } from "./store.ts";

/** Deletes a key, and returns its name; throws not_found. */
export async function deleteApiKey(
  ctx: SystemContext,
  owner: KeyOwner,
  id: string,
): Promise<string> {
  const name = await deleteKey(ctx.db, owner, { id, now: ctx.clock.now() });
  if (name !== undefined) return name;
  throw new AppError("not_found", `The ${nameOwner(owner)} has no key ${id}.`);
}
