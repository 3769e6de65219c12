import { AppError, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { endSessionsOf, markSecondFactor } from "../sessions/store.ts";
import { getUser, lockUser } from "../users/store.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./recovery-codes.ts";
import {
  deleteTotpRows,
  findTotp,
  replaceRecoveryCodeRows,
  saveUnconfirmed,
  takeStep,
} from "./store.ts";
import { findStepOf, newTotpSecret } from "./totp.ts";

/** A secret that counts once a code of it was confirmed; throws conflict when one counts already. */
export async function beginTotp(
  ctx: SystemContext,
  userId: string,
): Promise<{ secret: string; uri: string }> {
  const { text, uri, sealed } = await newTotpSecret(ctx, await getUser(ctx.db, userId));
  const row = { userId, secret: sealed, createdAt: ctx.clock.now() };
  const isSaved = await withTransaction(ctx, async ({ db }) => await saveUnconfirmed(db, row));
  if (!isSaved) throw inUse();
  return { secret: text, uri };
}

/**
 * From now on the user's password needs a code. Sessions that were begun without one end, but for the one that calls.
 * Throws sign_in_failed for a wrong code, conflict when there is nothing to confirm.
 */
export async function confirmTotp(
  ctx: SystemContext,
  { userId, sessionId }: { userId: string; sessionId: string },
  code: string,
): Promise<string[]> {
  return await withTransaction(ctx, async (ctx) => {
    await lockUser(ctx.db, userId);
    const totp = await findTotp(ctx.db, userId);
    if (totp === undefined) {
      throw new AppError("conflict", "Begin with `POST /me/totp`: there is nothing to confirm.");
    }
    if (totp.confirmedAt !== null) throw inUse();
    const step = await findStepOf(ctx, totp, code.replaceAll(/\s/g, ""));
    const now = ctx.clock.now();
    if (step === undefined || !(await takeStep(ctx.db, { userId, step, now }))) {
      throw new AppError("sign_in_failed", "The code is not of this secret, or is too old.");
    }
    await markSecondFactor(ctx.db, { id: sessionId, has: true });
    await endSessionsOf(ctx.db, { userId, now, but: sessionId });
    return await makeRecoveryCodes(ctx, userId);
  });
}

/** In place of those before; throws not_found without an authenticator app. */
export async function replaceRecoveryCodes(ctx: SystemContext, userId: string): Promise<string[]> {
  return await withTransaction(ctx, async (ctx) => {
    await lockUser(ctx.db, userId);
    const totp = await findTotp(ctx.db, userId);
    if (totp === undefined || totp.confirmedAt === null) throw noTotp();
    return await makeRecoveryCodes(ctx, userId);
  });
}

/** Sessions that were begun with a password count as begun with that alone. Throws not_found without one. */
export async function removeTotp(ctx: SystemContext, userId: string): Promise<void> {
  await withTransaction(ctx, async ({ db }) => {
    await lockUser(db, userId);
    if (!(await dropTotp(db, userId))) throw noTotp();
  });
}

/** False when the user had none that counted. */
export async function dropTotp(db: SystemContext["db"], userId: string): Promise<boolean> {
  await markSecondFactor(db, { userId, has: false });
  return await deleteTotpRows(db, userId);
}

async function makeRecoveryCodes(ctx: SystemContext, userId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  const hashes = await Promise.all(
    codes.map(async (code) => await hashRecoveryCode(ctx, userId, code)),
  );
  await replaceRecoveryCodeRows(ctx.db, userId, hashes);
  return codes;
}

function inUse(): AppError {
  return new AppError("conflict", "An authenticator app is in use: remove that one first.");
}

function noTotp(): AppError {
  return new AppError("not_found", "No authenticator app is in use.");
}
