const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** What SHA-1 adds to a message of so many bytes (FIPS 180-4, 5.1.1). */
function paddingOf(bytes: number): Buffer {
  const padding = Buffer.alloc(((119 - (bytes % 64)) % 64) + 9);
  padding[0] = 0x80;
  padding.writeBigUInt64BE(BigInt(bytes) * 8n, padding.byteLength - 8);
  return padding;
}

function compress(state: readonly number[], block: Buffer): number[] {
  const words = Array.from({ length: 16 }, (_, at) => block.readInt32BE(at * 4));
  for (let at = 16; at < 80; at += 1) {
    const mixed = [3, 8, 14, 16].reduce((sum, back) => sum ^ (words[at - back] ?? 0), 0);
    words.push(rotate(mixed, 1));
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (const [at, word] of words.entries()) {
    const round = Math.floor(at / 20);
    const parity = b ^ c ^ d;
    const mix = [(b & c) | (~b & d), parity, (b & c) | (b & d) | (c & d), parity][round] ?? 0;
    const constant = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6][round] ?? 0;
    const next = (rotate(a, 5) + mix + e + constant + word) | 0;
    [e, d, c, b, a] = [d, c, rotate(b, 30), a, next];
  }
  return [a, b, c, d, e].map((word, at) => (word + (state[at] ?? 0)) | 0);
}

/**
 * From the SHA-1 of a secret with a message, without the secret, that of the secret with a longer message: what a
 * stranger can do to a hash that is no HMAC.
 */
export function extendSha1(
  hash: Buffer,
  { message, secretBytes, suffix }: { message: Buffer; secretBytes: number; suffix: Buffer },
): { message: Buffer; hash: Buffer } {
  const padding = paddingOf(secretBytes + message.byteLength);
  const before = secretBytes + message.byteLength + padding.byteLength;
  const rest = Buffer.concat([suffix, paddingOf(before + suffix.byteLength)]);
  let state = Array.from({ length: 5 }, (_, at) => hash.readInt32BE(at * 4));
  for (let at = 0; at < rest.byteLength; at += 64)
    state = compress(state, rest.subarray(at, at + 64));
  const extended = Buffer.alloc(20);
  for (const [at, word] of state.entries()) extended.writeInt32BE(word, at * 4);
  return { message: Buffer.concat([message, padding, suffix]), hash: extended };
}
