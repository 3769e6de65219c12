import { randomBytes, randomUUID } from "node:crypto";
import { type EnvironmentId, Secret, type SystemContext } from "#foundation";
import { seal } from "#vault";
import { insertSigningKey } from "./store.ts";

/** Makes a key that signs the environment's webhooks. */
export async function addSigningKey(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  environmentId: EnvironmentId,
): Promise<Secret<string>> {
  const text = newSigningKey();
  const id = randomUUID();
  const place = { environmentId, table: "webhook_signing_keys", column: "key", row: id };
  const key = await seal(ctx, place, Buffer.from(text));
  await insertSigningKey(ctx.db, { id, environmentId, key, createdAt: ctx.clock.now() });
  return new Secret(text);
}

/** `whsec_` and 32 random bytes in base64, the form of Standard Webhooks. */
function newSigningKey(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
