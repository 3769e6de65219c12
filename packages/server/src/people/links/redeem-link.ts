import { AppError, invalidFields, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { lookupHash } from "#vault";
import { hashPassword } from "../passwords/hash-password.ts";
import { requireGoodPassword } from "../passwords/password-rules.ts";
import { passwordSlots } from "../passwords/password-slots.ts";
import { checkSecondFactor } from "../second-factor/check-second-factor.ts";
import { dropTotp } from "../second-factor/manage-totp.ts";
import { endSessionsOf } from "../sessions/store.ts";
import { type Attempt, withPauses } from "../sign-in-pauses/pauses.ts";
import { findUser, markSignedIn, setPassword, type UserRow } from "../users/store.ts";
import { ONE_TIME_LINK } from "./setup-link.ts";
import { findLink, type LinkRow, useLink } from "./store.ts";

export interface SentLink {
  readonly token: string;
  readonly password?: string | undefined;
  readonly code?: string | undefined;
  /** What counts where codes are guessed. */
  readonly attemptOf: (email: string) => Promise<Attempt>;
}

/**
 * The user of a one-time link, which is used up. A link to choose a way to sign in ends the user's sessions and takes
 * the password that is sent. Throws invalid_link, and what `checkSecondFactor` throws.
 */
export async function redeemLink(
  ctx: SystemContext,
  { token, password, code, attemptOf }: SentLink,
): Promise<{ user: UserRow; secondFactor: string | undefined }> {
  const tokenHash = await lookupHash(ctx, ONE_TIME_LINK, token);
  const now = ctx.clock.now();
  const link = await findLink(ctx.db, { tokenHash, now });
  const user = link?.userId == null ? undefined : await findUser(ctx.db, link.userId);
  if (link === undefined || user === undefined || user.disabledAt !== null) {
    throw new AppError("invalid_link");
  }
  const choosesWay = link.purpose !== "sign-in";
  if (password !== undefined && !choosesWay) {
    const message = "is not taken with this link, which only signs in";
    throw invalidFields("invalid_body", [{ path: ["password"], message }]);
  }
  if (password !== undefined) await requireGoodPassword(password, user);
  const passwordHash =
    password === undefined
      ? undefined
      : await passwordSlots.of(ctx).run(async () => await hashPassword(password));
  const attempt = await attemptOf(user.email);
  const secondFactor = await checkHolder(ctx, link, { user, code, attempt });
  return await withTransaction(ctx, async (ctx) => {
    if (!(await useLink(ctx.db, { id: link.id, now }))) throw new AppError("invalid_link");
    if (choosesWay) await endSessionsOf(ctx.db, { userId: user.id, now });
    if (link.dropsSecondFactor) await dropTotp(ctx.db, user.id);
    if (passwordHash !== undefined) await setPassword(ctx.db, { id: user.id, passwordHash, now });
    await markSignedIn(ctx.db, user.id, now);
    const redeemed = {
      ...user,
      passwordHash: passwordHash ?? user.passwordHash,
      lastSignInAt: now,
    };
    return { user: redeemed, secondFactor };
  });
}

/** A link may have come into other hands; but who made one with the master key at hand needs no code. */
async function checkHolder(
  ctx: SystemContext,
  { purpose, dropsSecondFactor }: LinkRow,
  { user, code, attempt }: { user: UserRow; code: string | undefined; attempt: Attempt },
): Promise<string | undefined> {
  if (purpose === "sign-in") return "operator";
  if (dropsSecondFactor) return undefined;
  const check = async () => await checkSecondFactor(ctx, user.id, code);
  // Without a code nothing is guessed.
  return code === undefined ? await check() : await withPauses(ctx, attempt, check);
}
