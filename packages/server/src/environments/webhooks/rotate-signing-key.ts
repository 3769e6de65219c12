import { AppError, addMs, DAY, type EnvironmentContext, type Secret } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { lockEnvironment } from "../store.ts";
import { addSigningKey } from "./add-signing-key.ts";
import { endSigningKeys, listSigningKeyRows } from "./store.ts";

const OVERLAP_MS = DAY;

/**
 * Makes a new signing key. The one before signs next to it for 24 hours, or ends at once with `immediate`. Throws
 * multiple_webhook_signing_keys while an earlier overlap lasts: a third key would take the one that receivers still
 * check with out of `X-Svc-Hmac-Sha256`.
 */
export async function rotateSigningKey(
  ctx: EnvironmentContext,
  { immediate }: { immediate: boolean },
): Promise<Secret<string>> {
  const now = ctx.clock.now();
  const environmentId = ctx.environment.id;
  const key = await withTransaction(ctx, async (ctx) => {
    await lockEnvironment(ctx.db, environmentId);
    const valid = await listSigningKeyRows(ctx.db, environmentId, now);
    const ending = valid.find(({ expiresAt }) => expiresAt !== null)?.expiresAt;
    if (ending && !immediate) throw stillRotating(ending);
    const expiresAt = immediate ? now : addMs(now, OVERLAP_MS);
    await endSigningKeys(ctx.db, environmentId, { now, expiresAt });
    return await addSigningKey(ctx, environmentId);
  });
  recordChange(ctx, { message: "Rotate the webhook signing key", meta: { immediate } });
  return key;
}

function stillRotating(ending: Date): AppError {
  return new AppError(
    "multiple_webhook_signing_keys",
    `The key before the last rotation signs until ${ending.toISOString()}: wait, or send {"immediate": true} to end all older keys now.`,
  );
}
