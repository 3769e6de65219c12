import { createPrivateKey, type KeyObject } from "node:crypto";
import { toPem } from "@jackfield/catalogue";
import { type JWTPayload, SignJWT } from "jose";
import { AppError, messageOf } from "#foundation";

export interface JwtInput {
  /** Of RFC 7518 section 3.1, or EdDSA. */
  readonly alg: string;
  /** PEM, or the secret of an HMAC. */
  readonly key: string | Buffer;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<JWTPayload>;
}

/** A signed JWT in compact form (RFC 7515); throws invalid_body when the key cannot sign so. */
export async function signJwt({ alg, key, header, claims }: JwtInput): Promise<string> {
  const jwt = new SignJWT({ ...claims }).setProtectedHeader({ alg, typ: "JWT", ...header });
  try {
    return await jwt.sign(alg.startsWith("HS") ? Buffer.from(key) : toPrivateKey(key));
  } catch (error) {
    const message = `The private key cannot sign with ${alg}; send it as PEM, not encrypted, and an RSA key with at least 2048 bits.`;
    throw new AppError("invalid_body", message, { cause: messageOf(error) });
  }
}

/** A key as people paste it: with or without its line breaks, or only the base64 between the armour lines. */
export function toPrivateKey(key: string | Buffer): KeyObject {
  const text = toPem(key.toString());
  if (text.includes("-----BEGIN")) return createPrivateKey(text);
  return createPrivateKey({ key: Buffer.from(text, "base64"), format: "der", type: "pkcs8" });
}
