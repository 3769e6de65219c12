import { constants, createHmac, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { toPem } from "@jackfield/catalogue";
import { AppError, messageOf } from "#platform";

export interface JwtInput {
  /** Of RFC 7518 section 3.1, or EdDSA. */
  readonly alg: string;
  /** PEM, or the secret of an HMAC. */
  readonly key: string | Buffer;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A signed JWT in compact form (RFC 7515); throws invalid_body when the key cannot sign so. */
export function signJwt({ alg, key, header, claims }: JwtInput): string {
  const input = `${encode({ alg, typ: "JWT", ...header })}.${encode(claims)}`;
  try {
    return `${input}.${toSignature(alg, key, Buffer.from(input)).toString("base64url")}`;
  } catch (error) {
    const message = `The private key cannot sign with ${alg}; send it as PEM, not encrypted.`;
    throw new AppError("invalid_body", message, { cause: messageOf(error) });
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function toSignature(alg: string, key: string | Buffer, data: Buffer): Buffer {
  const digest = `sha${alg.slice(-3)}`;
  if (alg.startsWith("HS")) return createHmac(digest, key).update(data).digest();
  const privateKey = toPrivateKey(key);
  if (alg === "EdDSA") return sign(null, data, privateKey);
  if (alg.startsWith("ES"))
    return sign(digest, data, { key: privateKey, dsaEncoding: "ieee-p1363" });
  if (alg.startsWith("PS")) {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return sign(digest, data, {
      key: privateKey,
      padding,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    });
  }
  return sign(digest, data, privateKey);
}

/** A key as people paste it: with or without its line breaks, or only the base64 between the armour lines. */
export function toPrivateKey(key: string | Buffer): KeyObject {
  const text = toPem(key.toString());
  if (text.includes("-----BEGIN")) return createPrivateKey(text);
  return createPrivateKey({ key: Buffer.from(text, "base64"), format: "der", type: "pkcs8" });
}
