import { randomUUID } from "node:crypto";
import { AppError, type SystemContext } from "#platform";
import { lookupHash } from "#vault";
import { ONE_TIME_LINK } from "./links/setup-link.ts";
import { findLink } from "./links/store.ts";
import { hashPassword, isOutdated, isPassword } from "./passwords/hash-password.ts";
import { requireGoodPassword } from "./passwords/password-rules.ts";
import { passwordSlots } from "./passwords/password-slots.ts";
import {
  claimInstallation,
  findUserByEmail,
  getUser,
  markSignedIn,
  replacePasswordHash,
  type UserRow,
} from "./users/store.ts";

export interface OwnerClaim {
  readonly token: string;
  readonly email: string;
  readonly name: string;
  readonly password: string | undefined;
}

/** Makes the holder of the setup link the first owner; throws invalid_link. */
export async function claimSetupLink(
  ctx: SystemContext,
  { token, email, name, password }: OwnerClaim,
): Promise<UserRow> {
  const tokenHash = await lookupHash(ctx, ONE_TIME_LINK, token);
  const now = ctx.clock.now();
  const link = await findLink(ctx.db, { tokenHash, now });
  if (link?.purpose !== "setup") throw new AppError("invalid_link");
  if (password !== undefined) requireGoodPassword(password, { email, name });
  const slots = passwordSlots.of(ctx);
  const passwordHash =
    password === undefined ? null : await slots.run(async () => await hashPassword(password));
  const userId = randomUUID();
  const owner = { userId, grantId: randomUUID(), email, name, passwordHash, now };
  if (!(await claimInstallation(ctx.db, tokenHash, owner))) throw new AppError("invalid_link");
  return await getUser(ctx.db, userId);
}

/** Parameters that have risen take hold when the password is known: at a sign-in. */
async function renewHash(ctx: SystemContext, user: UserRow, password: string): Promise<void> {
  const { passwordHash } = user;
  if (passwordHash === null || !isOutdated(passwordHash)) return;
  const renewed = await passwordSlots.of(ctx).run(async () => await hashPassword(password));
  await replacePasswordHash(ctx.db, { id: user.id, from: passwordHash, to: renewed });
}

// Process-wide: a hash that no password has, for users who have none.
let nobodysHash: Promise<string> | undefined;

/** The user of this address and password; throws sign_in_failed, after the same work when there is no such user. */
export async function checkPassword(
  ctx: SystemContext,
  { email, password }: { email: string; password: string },
): Promise<UserRow> {
  const user = await findUserByEmail(ctx.db, email);
  const isRight = await passwordSlots.of(ctx).run(async () => {
    nobodysHash ??= hashPassword(randomUUID());
    return await isPassword(password, user?.passwordHash ?? (await nobodysHash));
  });
  if (user === undefined || !isRight || user.passwordHash === null || user.disabledAt !== null) {
    throw new AppError("sign_in_failed");
  }
  await renewHash(ctx, user, password);
  await markSignedIn(ctx.db, user.id, ctx.clock.now());
  return user;
}
