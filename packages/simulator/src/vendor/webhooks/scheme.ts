import { createHash, createHmac } from "node:crypto";

/** An event that is to be sent, before its vendor signs it. */
export interface Outgoing {
  /** The address that the server shows for the integration. */
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  readonly at: Date;
}

/** What signing adds to an event, or puts in its place. */
export interface Signed {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * How a vendor signs, written from its documents and not from the server's code, which has to find the same.
 * `reported` is what the vendor has given the connection, by field of connection_config.
 */
export interface WebhookScheme {
  /** What signs; `webhook_secret` of the integration where it is left out, `connection` is the connection's `webhook_secret`. */
  readonly signsWith?: "client_secret" | "connection";
  /** A form of the sample `webhook_secret` that this vendor asks for. */
  readonly secret?: () => string;
  readonly sign: (event: Outgoing) => Signed;
  /** A sample event; undefined where all of it is in the headers. */
  readonly event?: (reported: Readonly<Record<string, string>>) => unknown;
  readonly headers?: (
    reported: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, string>>;
  readonly format?: "form";
}

export const SAMPLE_SECRET = "hook-s3cret+/=";
export const WHSEC = `whsec_${Buffer.from("a sample of a webhook secret").toString("base64")}`;

type Algorithm = "sha1" | "sha256";
type Encoding = "hex" | "base64";

export function hmac(
  key: string | Buffer,
  text: string,
  { algorithm = "sha256", encoding = "hex" }: { algorithm?: Algorithm; encoding?: Encoding } = {},
): string {
  return createHmac(algorithm, key).update(text).digest(encoding);
}

export function hash(text: string, algorithm: Algorithm = "sha256"): string {
  return createHash(algorithm).update(text).digest("hex");
}

export function seconds(at: Date): string {
  return String(Math.floor(at.getTime() / 1000));
}

interface BodyHmac {
  readonly algorithm?: Algorithm;
  readonly encoding?: Encoding;
  readonly prefix?: string;
}

/** An HMAC of the body in a header. */
export function overBody(header: string, { prefix = "", ...how }: BodyHmac = {}) {
  return ({ secret, body }: Outgoing): Signed => ({
    headers: { [header]: prefix + hmac(secret, body, how) },
  });
}

/** `t=<seconds>,v1=<HMAC of "<seconds>.<body>">`. */
export function timedPairs(header: string) {
  return ({ secret, body, at }: Outgoing): Signed => ({
    headers: { [header]: `t=${seconds(at)},v1=${hmac(secret, `${seconds(at)}.${body}`)}` },
  });
}

/** `v0=<HMAC of "v0:<seconds>:<body>">`, with the time in a header of its own. */
export function versionZero(header: string, timeHeader: string) {
  return ({ secret, body, at }: Outgoing): Signed => ({
    headers: {
      [timeHeader]: seconds(at),
      [header]: `v0=${hmac(secret, `v0:${seconds(at)}:${body}`)}`,
    },
  });
}

/** Standard Webhooks, whose keys are base64 after `whsec_`. */
export function standard({ secret, body, at }: Outgoing): Signed {
  const id = `msg_${hash(body).slice(0, 16)}`;
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : secret;
  const signature = hmac(key, `${id}.${seconds(at)}.${body}`, { encoding: "base64" });
  return {
    headers: {
      "webhook-id": id,
      "webhook-timestamp": seconds(at),
      "webhook-signature": `v1,${signature}`,
    },
  };
}

/** The secret itself. */
export function token(header: string) {
  return ({ secret }: Outgoing): Signed => ({ headers: { [header]: secret } });
}
