import {
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  type KeyObject,
  randomFillSync,
} from "node:crypto";
import { inSlices } from "../waiting/index.ts";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const OPTIONS = { authTagLength: TAG_BYTES };

/** What a sealed text is longer than its plaintext. */
export const SEAL_BYTES: number = NONCE_BYTES + TAG_BYTES;

/** AES-256-GCM: nonce, ciphertext, tag. `aad` is authenticated: the same bytes elsewhere do not open. */
export function encrypt(key: KeyObject | Buffer, aad: string, plaintext: Uint8Array): Buffer {
  const sealed = Buffer.allocUnsafe(plaintext.byteLength + SEAL_BYTES);
  encryptInto(sealed, 0, { key, aad, plaintext });
  return sealed;
}

export interface Encryption {
  readonly key: KeyObject | Buffer;
  readonly aad: string;
  readonly plaintext: Uint8Array;
}

/** `encrypt` into a longer buffer; returns where the sealed text ends. */
export function encryptInto(target: Buffer, start: number, encryption: Encryption): number {
  const { cipher, textAt } = beginInto(target, start, encryption);
  target.set(cipher.update(encryption.plaintext), textAt);
  return endInto(target, textAt + encryption.plaintext.byteLength, cipher);
}

/**
 * `encryptInto` of a text in parts, a slice at a time: however long it is, other work of the process runs
 * between its slices.
 */
export async function encryptPartsInto(
  target: Buffer,
  start: number,
  { key, aad, parts }: Omit<Encryption, "plaintext"> & { readonly parts: readonly Uint8Array[] },
): Promise<number> {
  const { cipher, textAt } = beginInto(target, start, { key, aad });
  let at = textAt;
  for await (const slice of inSlices(...parts)) {
    target.set(cipher.update(slice), at);
    at += slice.byteLength;
  }
  return endInto(target, at, cipher);
}

function beginInto(target: Buffer, start: number, { key, aad }: Omit<Encryption, "plaintext">) {
  const nonce = takeNonce();
  const cipher = createCipheriv(CIPHER, key, nonce, OPTIONS);
  cipher.setAAD(Buffer.from(aad));
  target.set(nonce, start);
  return { cipher, textAt: start + NONCE_BYTES };
}

function endInto(target: Buffer, tagAt: number, cipher: CipherGCM): number {
  // GCM holds no bytes back.
  cipher.final();
  target.set(cipher.getAuthTag(), tagAt);
  return tagAt + TAG_BYTES;
}

/** Opens what `encrypt` made; throws when the key, the associated data or any bit differs. */
export function decrypt(key: KeyObject | Buffer, aad: string, sealed: Uint8Array): Buffer {
  const { decipher, text } = beginDecryption(key, aad, sealed);
  const plaintext = decipher.update(text);
  // Checks the tag; GCM holds no bytes back.
  decipher.final();
  return plaintext;
}

/** `decrypt`, a slice at a time: however long the text is, other work of the process runs between its slices. */
export async function decryptInSlices(
  key: KeyObject | Buffer,
  aad: string,
  sealed: Uint8Array,
): Promise<Buffer> {
  const { decipher, text } = beginDecryption(key, aad, sealed);
  const plaintext = Buffer.allocUnsafe(text.byteLength);
  let at = 0;
  for await (const slice of inSlices(text)) {
    plaintext.set(decipher.update(slice), at);
    at += slice.byteLength;
  }
  decipher.final();
  return plaintext;
}

function beginDecryption(key: KeyObject | Buffer, aad: string, sealed: Uint8Array) {
  const bytes = Buffer.isBuffer(sealed)
    ? sealed
    : Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.byteLength < SEAL_BYTES) throw new Error("sealed text is too short");
  const tagAt = bytes.byteLength - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), OPTIONS);
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(bytes.subarray(tagAt));
  return { decipher, text: bytes.subarray(NONCE_BYTES, tagAt) };
}

const nonces = Buffer.alloc(512 * NONCE_BYTES);
// Process-wide: no nonce is used twice.
let nextNonce = nonces.byteLength;

/**
 * 96 random bits, each handed out once (NIST SP 800-38D 8.2.2: at most 2^32 texts by one key). Many are drawn
 * at a time: a call of the generator costs as much as sealing 1 KB.
 */
function takeNonce(): Buffer {
  if (nextNonce === nonces.byteLength) {
    randomFillSync(nonces);
    nextNonce = 0;
  }
  nextNonce += NONCE_BYTES;
  return nonces.subarray(nextNonce - NONCE_BYTES, nextNonce);
}
