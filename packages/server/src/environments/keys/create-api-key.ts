import { randomUUID } from "node:crypto";
import type { EnvironmentId, KeyBounds, SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { newApiKey } from "./api-key.ts";
import { type Creator, insertApiKey } from "./store.ts";

/** Makes a key and returns its text, which is stored nowhere. `environmentId` null: a key of the account. */
export async function createApiKey(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  wanted: {
    /** A random one when undefined. */
    id?: string;
    accountId: string;
    environmentId: EnvironmentId | null;
    displayName: string;
    scopes: string[];
    /** Without one it does not expire. */
    expiresAt?: Date | null;
    /** Default: the system itself. */
    createdBy?: Creator;
    /** Without it the key is for all connections. */
    boundTo?: KeyBounds | null;
  },
): Promise<string> {
  const key = newApiKey();
  await insertApiKey(ctx.db, {
    ...wanted,
    expiresAt: wanted.expiresAt ?? null,
    boundTo: wanted.boundTo ?? null,
    createdBy: wanted.createdBy ?? { kind: "system", id: null, name: null },
    id: wanted.id ?? randomUUID(),
    lookupHash: await lookupHash(ctx, "api_key", key),
    createdAt: ctx.clock.now(),
  });
  return key;
}
