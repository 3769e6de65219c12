import { createHash, createHmac } from "node:crypto";

export interface AwsRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
}

/**
 * The Authorization header of AWS Signature Version 4 with an account's own keys. It covers host, `x-amz-date`
 * (YYYYMMDD[T]HHmmss[Z] of the same time) and the body.
 */
export function signAwsRequest(
  [accessKeyId = "", secretAccessKey = "", region = "", service = ""]: readonly string[],
  { method, host, path, query, body }: AwsRequest,
  now: Date,
): string {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const canonical = [
    method.toUpperCase(),
    encodeURI(path || "/"),
    toCanonicalQuery(query),
    `host:${host}`,
    `x-amz-date:${time}`,
    "",
    "host;x-amz-date",
    sha256(body),
  ].join("\n");
  const scope = [time.slice(0, 8), region, service, "aws4_request"];
  const text = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(canonical)].join("\n");
  const key = scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
  const credential = `Credential=${accessKeyId}/${scope.join("/")}`;
  const signature = hmac(key, text).toString("hex");
  return `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=host;x-amz-date, Signature=${signature}`;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Sorted by name, then by value, in one encoding; `+` is a plus here. */
function toCanonicalQuery(query: string): string {
  const pairs = query.split("&").filter((pair) => pair !== "");
  return pairs
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return `${recode(name)}=${recode(value.join("="))}`;
    })
    .toSorted((a, b) => (a.replace("=", "\0") < b.replace("=", "\0") ? -1 : 1))
    .join("&");
}

function recode(text: string): string {
  let plain = text;
  try {
    plain = decodeURIComponent(text);
  } catch {
    // Nothing is encoded in it.
  }
  return encodeURIComponent(plain.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
