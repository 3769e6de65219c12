import { randomUUID } from "node:crypto";
import { AppError, type SystemContext } from "#foundation";
import { checkSecondFactor, type ShownFactor } from "../second-factor/check-second-factor.ts";
import {
  findUserByEmail,
  markSignedIn,
  replacePasswordHash,
  type UserRow,
} from "../users/store.ts";
import { hashPassword, isOutdated, isPassword } from "./hash-password.ts";
import { passwordSlots } from "./password-slots.ts";

/** Parameters that have risen take hold when the password is known: at a sign-in. */
async function renewHash(ctx: SystemContext, user: UserRow, password: string): Promise<void> {
  const { passwordHash } = user;
  if (passwordHash === null || !isOutdated(passwordHash)) return;
  const renewed = await passwordSlots.of(ctx).run(async () => await hashPassword(password));
  await replacePasswordHash(ctx.db, { id: user.id, from: passwordHash, to: renewed });
}

// Process-wide: a hash that no password has, for users who have none.
let nobodysHash: Promise<string> | undefined;

interface SentPassword {
  readonly email: string;
  readonly password: string;
  readonly code?: string | undefined;
}

/**
 * The user of this address and password, and what was shown besides. Throws sign_in_failed, after the same work when
 * there is no such user, and second_factor_required for a right password whose user needs a code.
 */
export async function checkPassword(
  ctx: SystemContext,
  { email, password, code }: SentPassword,
): Promise<{ user: UserRow; secondFactor: ShownFactor }> {
  const user = await findUserByEmail(ctx.db, email);
  const isRight = await passwordSlots.of(ctx).run(async () => {
    nobodysHash ??= hashPassword(randomUUID());
    return await isPassword(password, user?.passwordHash ?? (await nobodysHash));
  });
  if (user === undefined || !isRight || user.passwordHash === null || user.disabledAt !== null) {
    throw new AppError("sign_in_failed");
  }
  const secondFactor = await checkSecondFactor(ctx, user.id, code);
  await renewHash(ctx, user, password);
  await markSignedIn(ctx.db, user.id, ctx.clock.now());
  return { user, secondFactor };
}
