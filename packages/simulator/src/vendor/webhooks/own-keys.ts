import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** Keys of vendors that sign with one of their own; made once, since an RSA key takes a tenth of a second. */

let rsa: KeyObject | undefined;
let edwards: KeyObject | undefined;

function rsaKey(): KeyObject {
  rsa ??= generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  return rsa;
}

function edwardsKey(): KeyObject {
  edwards ??= generateKeyPairSync("ed25519").privateKey;
  return edwards;
}

/** PEM. */
export function rsaPublicKey(): string {
  return createPublicKey(rsaKey()).export({ type: "spki", format: "pem" }).toString();
}

/** The 32 bytes in hex: they end the key's DER (RFC 8410). */
export function ed25519PublicKey(): string {
  const der = createPublicKey(edwardsKey()).export({ type: "spki", format: "der" });
  return der.subarray(-32).toString("hex");
}

/** RSASSA-PKCS1-v1_5 with SHA-256. */
export function rsaSign(text: string): Buffer {
  return sign("sha256", Buffer.from(text), rsaKey());
}

export function ed25519Sign(text: string): Buffer {
  return sign(null, Buffer.from(text), edwardsKey());
}
