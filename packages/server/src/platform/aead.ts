import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from "node:crypto";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM: nonce, ciphertext, tag. `place` is authenticated: the same bytes elsewhere do not open. */
export function encrypt(key: KeyObject | Buffer, place: string, plaintext: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  cipher.setAAD(Buffer.from(place));
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what `encrypt` made; throws when key, place or any bit differ. */
export function decrypt(key: KeyObject | Buffer, place: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.isBuffer(sealed)
    ? sealed
    : Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.byteLength < IV_BYTES + TAG_BYTES) throw new Error("sealed text is too short");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES));
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(bytes.byteLength - TAG_BYTES));
  const plaintext = decipher.update(bytes.subarray(IV_BYTES, bytes.byteLength - TAG_BYTES));
  // Checks the tag; GCM holds no bytes back.
  decipher.final();
  return plaintext;
}
