import { createHash, createHmac } from "node:crypto";
import { splitUrl } from "../apply/split-url.ts";
import { encode } from "./oauth1-signature.ts";

export interface SigV4Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface SigV4Input {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Undefined for a stream, whose payload is then not signed. */
  readonly body: Uint8Array | undefined;
  readonly region: string;
  readonly service: string;
  readonly keys: SigV4Keys;
  readonly now: Date;
}

/** The headers that sign a request (AWS Signature Version 4, in the Authorization header). */
export function signSigV4(input: SigV4Input): ReadonlyMap<string, string> {
  const { headers, keys, service, region } = input;
  const time = input.now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const payload = input.body === undefined ? "UNSIGNED-PAYLOAD" : sha256(input.body);
  const own = new Map([
    ["x-amz-date", time],
    ...(keys.sessionToken ? [["x-amz-security-token", keys.sessionToken] as const] : []),
    ...(isS3(service) || input.body === undefined
      ? [["x-amz-content-sha256", payload] as const]
      : []),
  ]);
  const signed = new Map([
    ...[...headers].filter(([name]) => name === "content-type" || name.startsWith("x-amz-")),
    ["host", splitUrl(input.url).host] as const,
    ...own,
  ]);
  const names = [...signed.keys()].toSorted();
  const canonical = [
    input.method.toUpperCase(),
    toCanonicalPath(input),
    toCanonicalQuery(input.url),
    ...names.map((name) => `${name}:${(signed.get(name) ?? "").trim().replace(/ +/g, " ")}`),
    "",
    names.join(";"),
    payload,
  ].join("\n");
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const signature = hmac(toSigningKey(input, time.slice(0, 8)), text).toString("hex");
  const credential = `Credential=${keys.accessKeyId}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return new Map([...own, ["authorization", authorization]]);
}

/** Services that take a payload which is not signed. */
export function isS3(service: string): boolean {
  return /^s3(-|$)/.test(service);
}

function toSigningKey({ keys, region, service }: SigV4Input, date: string): Buffer {
  const start = Buffer.from(`AWS4${keys.secretAccessKey}`);
  return [date, region, service, "aws4_request"].reduce<Buffer>(hmac, start);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** The path as sent, each segment encoded once more; S3 alone signs it as it is. */
function toCanonicalPath({ url, service }: SigV4Input): string {
  const { path } = splitUrl(url);
  if (isS3(service)) return path;
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(encode(segment));
  }
  const isFolder = segments.length > 0 && /\/\.{0,2}$/.test(path);
  return `/${segments.join("/")}${isFolder ? "/" : ""}`;
}

function toCanonicalQuery(url: string): string {
  const { query } = splitUrl(url);
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [recode(name), recode(value.join("="))] as const;
    })
    .toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** One encoding, regardless of the caller's; `+` is a plus here. */
function recode(text: string): string {
  try {
    return encode(decodeURIComponent(text));
  } catch {
    return encode(text);
  }
}
