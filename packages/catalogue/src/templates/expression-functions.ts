import { createHash, createHmac, createPublicKey, randomUUID, sign } from "node:crypto";
import { signAwsRequest } from "./sign-aws-request.ts";
import { toPem } from "./to-pem.ts";

/** Characters that a call may answer: each `hex` in a `hex` doubles its text, each `replace` may do far more. */
const MAX_RESULT = 2 * 1024 * 1024;

/** A call whose answer would be too long to be a header, an address or a field. */
export class ResultTooLong extends Error {
  override name = "ResultTooLong";
}

type TemplateFunction = (args: readonly string[], now: Date) => string;

/** What entries may compute: encodings, digests, signatures and the time. */
const functions: Readonly<Record<string, TemplateFunction>> = {
  base64: ([text = ""]) => Buffer.from(text).toString("base64"),
  base64url: ([text = ""]) => Buffer.from(text).toString("base64url"),
  hex: ([text = ""]) => Buffer.from(text).toString("hex"),
  lower: ([text = ""]) => text.toLowerCase(),
  replace: ([text = "", from = "", to = ""]) => {
    const found = text.split(from).length;
    if (text.length + found * to.length > MAX_RESULT) throw new ResultTooLong();
    return text.replaceAll(from, to);
  },
  upper: ([text = ""]) => text.toUpperCase(),
  url_encode: ([text = ""]) => encodeURIComponent(text.toWellFormed()),
  md5_hex: ([text = ""]) => createHash("md5").update(text).digest("hex"),
  sha1_hex: ([text = ""]) => createHash("sha1").update(text).digest("hex"),
  sha256_hex: ([text = ""]) => createHash("sha256").update(text).digest("hex"),
  sha256_base64: ([text = ""]) => createHash("sha256").update(text).digest("base64"),
  hmac_sha1_hex: ([text = "", key = ""]) => createHmac("sha1", key).update(text).digest("hex"),
  hmac_sha256_hex: ([text = "", key = ""]) => createHmac("sha256", key).update(text).digest("hex"),
  hmac_sha256_base64: ([text = "", key = ""]) =>
    createHmac("sha256", key).update(text).digest("base64"),
  hmac_sha512_hex: ([text = "", key = ""]) => createHmac("sha512", key).update(text).digest("hex"),
  /** Of a PEM private key of type Ed25519. */
  ed25519_sign: ([text = "", key = ""]) =>
    sign(null, Buffer.from(text), toPem(key)).toString("base64"),
  /** `SHA256:` and the base64 digest of the public key that belongs to a PEM private key. */
  public_key_fingerprint: ([key = ""]) => {
    const der = createPublicKey(toPem(key)).export({
      type: "spki",
      format: "der",
    });
    return `SHA256:${createHash("sha256").update(der).digest("base64")}`;
  },
  /** Access key ID, secret access key, region, service, then the request's method, host, path, query and body. */
  aws_sigv4: (args, now) => {
    const [method = "", host = "", path = "", query = "", body = ""] = args.slice(4);
    return signAwsRequest(args, { method, host, path, query, body }, now);
  },
  uuid: () => randomUUID(),
  /** ISO 8601, or in a form of YYYY, MM, DD, HH, mm, ss and literal text in brackets; UTC. So many seconds later. */
  now: ([form, laterS = "0"], now) => {
    const time = new Date(now.getTime() + (Number(laterS) || 0) * 1000);
    return form === undefined ? time.toISOString() : formatTime(form, time);
  },
  epoch: (_args, now) => String(Math.floor(now.getTime() / 1000)),
  epoch_ms: (_args, now) => String(now.getTime()),
};

export function isFunctionName(name: string): boolean {
  return Object.hasOwn(functions, name);
}

export function evaluateCall(name: string, args: readonly string[], now = new Date()): string {
  const result = functions[name]?.(args, now) ?? "";
  if (result.length > MAX_RESULT) throw new ResultTooLong();
  return result;
}

function formatTime(form: string, now: Date): string {
  const iso = now.toISOString();
  const parts: Readonly<Record<string, string>> = {
    YYYY: iso.slice(0, 4),
    MM: iso.slice(5, 7),
    DD: iso.slice(8, 10),
    HH: iso.slice(11, 13),
    mm: iso.slice(14, 16),
    ss: iso.slice(17, 19),
    SSS: iso.slice(20, 23),
  };
  return form.replace(/\[([^[\]]*)\]|YYYY|SSS|MM|DD|HH|mm|ss/g, (word, literal?: string) =>
    literal === undefined ? (parts[word] ?? word) : literal,
  );
}
