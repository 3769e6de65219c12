import { randomUUID } from "node:crypto";
import { AppError, type KeyBounds, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { createApiKey } from "./create-api-key.ts";
import { type Grant, requireForAgent, requireFuture, requireHeld } from "./grants.ts";
import { type KeyOwner, lockOwner, nameOwner } from "./key-owner.ts";
import { type Creator, type ListedKey, listKeys } from "./store.ts";

const KEYS_PER_OWNER = 50;

export interface AddedKey extends ListedKey {
  /** Stored nowhere. */
  readonly secret: string;
}

/**
 * Makes a key on the caller's behalf. Throws forbidden for more than the caller may grant, conflict for a name
 * in use, resource_capped at 50 keys, invalid_body for an end that has passed.
 */
export async function addApiKey(
  ctx: SystemContext,
  owner: KeyOwner,
  {
    displayName,
    boundTo = null,
    ...wanted
  }: { displayName: string; boundTo?: KeyBounds | null } & Grant,
): Promise<AddedKey> {
  const scopes = [...new Set(wanted.scopes)];
  const { expiresAt } = wanted;
  if (boundTo !== null) requireForAgent(scopes);
  requireFuture(ctx, expiresAt);
  requireHeld(ctx, { scopes, expiresAt });
  const id = randomUUID();
  const createdBy = creatorOf(ctx);
  const row = { ...owner, id, displayName, scopes, expiresAt, createdBy, boundTo };
  const secret = await withTransaction(ctx, async (ctx) => {
    await lockOwner(ctx, owner);
    const known = await listKeys(ctx.db, owner);
    requireFreeName(known, displayName);
    requireRoom(owner, known.length);
    return await createApiKey(ctx, row);
  });
  return {
    ...row,
    secret,
    createdAt: ctx.clock.now(),
    lastUsedAt: null,
    lastUsedFrom: null,
    replacedBy: null,
  };
}

export function requireFreeName(known: readonly ListedKey[], displayName: string): void {
  if (!known.some((key) => key.displayName === displayName)) return;
  throw new AppError("conflict", `There is a key named "${displayName}" already.`);
}

/** Throws resource_capped where an owner that has so many keys may not have another. */
export function requireRoom(owner: KeyOwner, count: number): void {
  if (count < KEYS_PER_OWNER) return;
  throw new AppError(
    "resource_capped",
    `The ${nameOwner(owner)} may have ${KEYS_PER_OWNER} keys: delete one first.`,
  );
}

export function creatorOf({ actor }: Pick<SystemContext, "actor">): Creator {
  if (actor.kind === "key") return { kind: "key", id: actor.keyId, name: actor.keyName ?? null };
  if (actor.kind === "user") return { kind: "user", id: actor.userId, name: actor.userName };
  return { kind: "system", id: null, name: null };
}
