import { randomUUID } from "node:crypto";
import { AppError, type SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { hashPassword } from "../passwords/hash-password.ts";
import { requireGoodPassword } from "../passwords/password-rules.ts";
import { passwordSlots } from "../passwords/password-slots.ts";
import { claimInstallation, getUser, type UserRow } from "../users/store.ts";
import { ONE_TIME_LINK } from "./setup-link.ts";
import { findLink } from "./store.ts";

export interface OwnerClaim {
  readonly token: string;
  readonly email: string;
  readonly name?: string | undefined;
  readonly password: string | undefined;
}

/** Makes the holder of the setup link the first owner; throws invalid_link. */
export async function claimSetupLink(
  ctx: SystemContext,
  { token, email, name = nameOf(email), password }: OwnerClaim,
): Promise<UserRow> {
  const tokenHash = await lookupHash(ctx, ONE_TIME_LINK, token);
  const now = ctx.clock.now();
  const link = await findLink(ctx.db, { tokenHash, now });
  if (link?.purpose !== "setup") throw new AppError("invalid_link");
  if (password !== undefined) await requireGoodPassword(password, { email, name });
  const slots = passwordSlots.of(ctx);
  const passwordHash =
    password === undefined ? null : await slots.run(async () => await hashPassword(password));
  const userId = randomUUID();
  const owner = { userId, grantId: randomUUID(), email, name, passwordHash, now };
  if (!(await claimInstallation(ctx.db, tokenHash, owner))) throw new AppError("invalid_link");
  return await getUser(ctx.db, userId);
}

/** Until its holder chooses one. */
function nameOf(email: string): string {
  return email.split("@", 1)[0] ?? email;
}
