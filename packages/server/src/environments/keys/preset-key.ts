import { randomUUID } from "node:crypto";
import type { EnvironmentId, Secret, SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { isApiKey } from "./api-key.ts";
import { replaceApiKey } from "./store.ts";

/** Puts a key of the operator's own choice in place as full-access key (SVC_BOOTSTRAP_KEY). */
export async function presetKey(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  preset: { accountId: string; environmentId: EnvironmentId; key: Secret<string> },
): Promise<void> {
  const key = preset.key.reveal();
  if (!isApiKey(key)) {
    throw new Error("SVC_BOOTSTRAP_KEY is neither a key of Jackfield's (svc_key_…) nor a UUID v4");
  }
  await replaceApiKey(ctx.db, {
    id: randomUUID(),
    accountId: preset.accountId,
    environmentId: preset.environmentId,
    displayName: "bootstrap",
    scopes: ["environment:*"],
    lookupHash: await lookupHash(ctx, "api_key", key),
    createdAt: ctx.clock.now(),
  });
}
