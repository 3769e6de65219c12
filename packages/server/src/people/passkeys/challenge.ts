import { randomBytes, timingSafeEqual } from "node:crypto";
import { MINUTE, type SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { insertUsedChallenge } from "./store.ts";

/** Longer than people take, and than the browser waits. */
const LIFE_MS = 5 * MINUTE;

const RANDOM_BYTES = 16;
const TIME_BYTES = 8;
const HASH_BYTES = 32;

/**
 * A text for an authenticator to sign, good for one purpose. It says when it was made and proves that we made it, so
 * that nothing is stored for those who begin and never end.
 */
export async function newChallenge(ctx: SystemContext, purpose: string): Promise<Buffer> {
  const head = Buffer.alloc(RANDOM_BYTES + TIME_BYTES);
  randomBytes(RANDOM_BYTES).copy(head);
  head.writeBigUInt64BE(BigInt(ctx.clock.now().getTime()), RANDOM_BYTES);
  return Buffer.concat([head, await proofOf(ctx, purpose, head)]);
}

/** Whether it is ours, of this purpose, recent, and was not used before; now it is. */
export async function useChallenge(
  ctx: SystemContext,
  purpose: string,
  challenge: string,
): Promise<boolean> {
  const bytes = Buffer.from(challenge, "base64url");
  if (bytes.length !== RANDOM_BYTES + TIME_BYTES + HASH_BYTES) return false;
  const head = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES);
  const proof = await proofOf(ctx, purpose, head);
  if (!timingSafeEqual(bytes.subarray(head.length), proof)) return false;
  const now = ctx.clock.now();
  const age = now.getTime() - Number(head.readBigUInt64BE(RANDOM_BYTES));
  if (age > LIFE_MS) return false;
  return await insertUsedChallenge(ctx.db, { challengeHash: proof, usedAt: now });
}

async function proofOf(ctx: SystemContext, purpose: string, head: Buffer): Promise<Buffer> {
  return await lookupHash(ctx, `passkey ${purpose}`, head.toString("base64url"));
}
