import { AppError, type SystemContext } from "#foundation";
import { hashRecoveryCode } from "./recovery-codes.ts";
import { findTotp, takeRecoveryCode, takeStep } from "./store.ts";
import { findStepOf } from "./totp.ts";

/** What was shown besides a password; undefined where nothing is asked for. */
export type ShownFactor = "totp" | "recovery-code" | undefined;

/**
 * Takes the code of a user who has an authenticator app; each is taken once. Throws second_factor_required without a
 * code, and sign_in_failed for one that is wrong or was used.
 */
export async function checkSecondFactor(
  ctx: SystemContext,
  userId: string,
  code: string | undefined,
): Promise<ShownFactor> {
  const totp = await findTotp(ctx.db, userId);
  if (totp === undefined || totp.confirmedAt === null) return undefined;
  if (code === undefined) throw new AppError("second_factor_required");
  const digits = code.replaceAll(/\s/g, "");
  const now = ctx.clock.now();
  if (/^\d{6}$/.test(digits)) {
    const step = await findStepOf(ctx, totp, digits);
    if (step !== undefined && (await takeStep(ctx.db, { userId, step, now }))) return "totp";
    throw refuse();
  }
  const codeHash = await hashRecoveryCode(ctx, userId, code);
  if (await takeRecoveryCode(ctx.db, { userId, codeHash, now })) return "recovery-code";
  throw refuse();
}

function refuse(): AppError {
  return new AppError("sign_in_failed", "The code is wrong, too old, or was used before.");
}
