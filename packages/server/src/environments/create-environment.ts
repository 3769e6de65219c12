import { randomBytes, randomUUID } from "node:crypto";
import { type EnvironmentId, type InstallationContext, newRandomId } from "#platform";
import { seal } from "#vault";
import { insertEnvironment, insertSigningKey } from "./store.ts";

/** Makes an environment with its webhook signing key; keys for callers are made apart. */
export async function createEnvironment(
  ctx: Pick<InstallationContext, "db" | "clock" | "keys">,
  wanted: { accountId: string; name: string; isProduction: boolean },
): Promise<EnvironmentId> {
  const id = newRandomId<EnvironmentId>();
  const createdAt = ctx.clock.now();
  await insertEnvironment(ctx.db, { id, ...wanted, createdAt });
  const keyId = randomUUID();
  const place = { environmentId: id, table: "webhook_signing_keys", column: "key", row: keyId };
  const key = await seal(ctx, place, Buffer.from(newSigningKey()));
  await insertSigningKey(ctx.db, { id: keyId, environmentId: id, key, createdAt });
  return id;
}

/** `whsec_` and 32 random bytes in base64, the form of Standard Webhooks (decisions 34). */
function newSigningKey(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
