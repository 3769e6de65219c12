import { randomInt } from "node:crypto";
import type { SystemContext } from "#foundation";
import { lookupHash } from "#vault";

const COUNT = 10;
const CHARACTERS = 10;

/** Without those that are taken for one another. */
const alphabet = "23456789abcdefghjkmnpqrstuvwxyz";

/** Of 49 bits each: guesses wait like those of passwords. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => {
    const text = Array.from({ length: CHARACTERS }, () => alphabet[randomInt(alphabet.length)]);
    return `${text.slice(0, CHARACTERS / 2).join("")}-${text.slice(CHARACTERS / 2).join("")}`;
  });
}

/** Of a code as people type it. */
export async function hashRecoveryCode(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  userId: string,
  code: string,
): Promise<Buffer> {
  const text = code.toLowerCase().replaceAll(/[\s-]/g, "");
  return await lookupHash(ctx, "recovery_code", JSON.stringify([userId, text]));
}
