import { createHmac, hash } from "node:crypto";

/** An HMAC cut to 128 bits tells changes as well, and leaves room for records. */
export const HASH_BYTES = 16;

const BLOCK_BYTES = 64;
const SHA256_BYTES = 32;

/** Longer lines are hashed in place: there the copy would cost more than the objects. */
const COPIED_BYTES = 16 * 1024;

/**
 * HMAC-SHA256 of each line, joined. It is put together from plain hashes as RFC 2104 tells, for an Hmac object
 * with its garbage costs as much again as hashing 1 KB.
 */
export function hashLines(key: Buffer, lines: readonly Uint8Array[]): Buffer {
  const inner = Buffer.alloc(BLOCK_BYTES + COPIED_BYTES);
  const outer = Buffer.alloc(BLOCK_BYTES + SHA256_BYTES);
  for (let n = 0; n < BLOCK_BYTES; n += 1) {
    inner[n] = (key[n] ?? 0) ^ 0x36;
    outer[n] = (key[n] ?? 0) ^ 0x5c;
  }
  const hashes = Buffer.allocUnsafe(lines.length * HASH_BYTES);
  for (const [index, line] of lines.entries()) {
    const at = index * HASH_BYTES;
    if (line.byteLength > COPIED_BYTES) {
      createHmac("sha256", key).update(line).digest().copy(hashes, at, 0, HASH_BYTES);
      continue;
    }
    inner.set(line, BLOCK_BYTES);
    const text = inner.subarray(0, BLOCK_BYTES + line.byteLength);
    // Texts, for a buffer from outside the heap costs more than 32 characters in it.
    outer.write(hash("sha256", text, "latin1"), BLOCK_BYTES, "latin1");
    hashes.write(hash("sha256", outer, "latin1"), at, HASH_BYTES, "latin1");
  }
  return hashes;
}
