import { AppError, invalidFields, type SystemContext } from "#platform";
import { withTransaction } from "#platform/db";
import { lookupHash } from "#vault";
import { hashPassword } from "../passwords/hash-password.ts";
import { requireGoodPassword } from "../passwords/password-rules.ts";
import { passwordSlots } from "../passwords/password-slots.ts";
import { endSessionsOf } from "../sessions/store.ts";
import { findUser, markSignedIn, setPassword, type UserRow } from "../users/store.ts";
import { ONE_TIME_LINK } from "./setup-link.ts";
import { findLink, useLink } from "./store.ts";

/**
 * The user of a one-time link, which is used up. A link to choose a way to sign in ends the user's sessions and takes
 * the password that is sent. Throws invalid_link.
 */
export async function redeemLink(
  ctx: SystemContext,
  { token, password }: { token: string; password: string | undefined },
): Promise<UserRow> {
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
  if (password !== undefined) requireGoodPassword(password, user);
  const passwordHash =
    password === undefined
      ? undefined
      : await passwordSlots.of(ctx).run(async () => await hashPassword(password));
  return await withTransaction(ctx, async (ctx) => {
    if (!(await useLink(ctx.db, { id: link.id, now }))) throw new AppError("invalid_link");
    if (choosesWay) await endSessionsOf(ctx.db, { userId: user.id, now });
    if (passwordHash !== undefined) await setPassword(ctx.db, { id: user.id, passwordHash, now });
    await markSignedIn(ctx.db, user.id, now);
    return { ...user, passwordHash: passwordHash ?? user.passwordHash, lastSignInAt: now };
  });
}
