import type { KeyObject } from "node:crypto";
import { decrypt, SEAL_BYTES } from "./aead.ts";

/** Texts sealed by one key, whose associated data begins alike. */
export interface SealedTexts {
  readonly key: KeyObject;
  readonly beginning: string;
  /** The rest of each text's associated data. */
  readonly rests: readonly string[];
  readonly sealed: readonly Uint8Array[];
}

/** The texts as they travel to a thread, joined. */
export interface DecryptJob {
  readonly key: KeyObject;
  readonly beginning: string;
  readonly rests: readonly string[];
  readonly sizes: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function toJob({ key, beginning, rests, sealed }: SealedTexts): DecryptJob {
  const sizes = sealed.map(({ byteLength }) => byteLength);
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const text of sealed) {
    bytes.set(text, at);
    at += text.byteLength;
  }
  return { key, beginning, rests, sizes, bytes };
}

/** The plaintexts, joined; throws as `decrypt` does. */
export function runJob({
  key,
  beginning,
  rests,
  sizes,
  bytes,
}: DecryptJob): Uint8Array<ArrayBuffer> {
  const plain = new Uint8Array(bytes.byteLength - sizes.length * SEAL_BYTES);
  let from = 0;
  let to = 0;
  for (const [index, size] of sizes.entries()) {
    const aad = `${beginning}${rests[index]}`;
    const plaintext = decrypt(key, aad, bytes.subarray(from, from + size));
    plain.set(plaintext, to);
    from += size;
    to += plaintext.byteLength;
  }
  return plain;
}
