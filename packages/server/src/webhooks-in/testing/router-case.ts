import { Webhook } from "standardwebhooks";
import type { InboundEvent, InboundRequest, WebhookKeys } from "../match/router.ts";

/** Signatures by an implementation that shares nothing with the one under test. */
export interface Signer extends Disposable {
  hmac(algorithm: "sha1" | "sha256", key: string | Buffer, content: string | Buffer): Buffer;
  digest(algorithm: "sha1" | "sha256", content: string | Buffer): Buffer;
  rsaSign(content: string | Buffer): Buffer;
  /** PEM, and as a JSON Web Key's modulus. */
  readonly rsaPublicKey: string;
  readonly rsaModulus: Buffer;
  edSign(content: string | Buffer): Buffer;
  /** The 32 bytes, and as PEM. */
  readonly edPublicKey: Buffer;
  readonly edPublicKeyPem: string;
}

/** What a vendor sends, and how its documentation says that it is signed. */
export interface RouterCase {
  readonly router: string;
  readonly body: string;
  /** Header that holds the signature; undefined where it is in the body. */
  readonly header?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly keys: (tools: Signer) => Partial<WebhookKeys>;
  /** Headers that the vendor adds at that time. */
  readonly sign: (request: InboundRequest, at: Date, tools: Signer) => Record<string, string>;
  /** Whether an old signature is refused. */
  readonly isTimed?: true;
  /** Whether the secret itself is what is sent, so that a changed body is not noticed. */
  readonly isToken?: true;
  /** Whether the vendor's own key verifies, in place of a secret. */
  readonly isVendorsKey?: true;
  readonly types: readonly string[];
  readonly match: InboundEvent["match"];
  readonly documents?: (tools: Signer) => Readonly<Record<string, string>>;
}

/** When the requests of the cases are sent. */
export const TIME = new Date("2026-11-21T10:00:00Z");
export const SECRET = "a secret of the webhook";
export const URL_OF_TEST = "https://hooks.example.com/webhook/e/i";
export const WHSEC = `whsec_${Buffer.from("0123456789abcdef01234567").toString("base64")}`;

export const webhookSecret = () => ({ webhookSecret: SECRET });
export const clientSecret = () => ({ clientSecret: SECRET });
export const ofConnection = () => ({ connectionSecret: SECRET });
export const json = (value: unknown) => JSON.stringify(value);
export const seconds = (at: Date) => String(Math.floor(at.getTime() / 1000));

/** An HMAC of the body alone. */
export function overBody(
  header: string,
  {
    algorithm = "sha256",
    encoding = "hex",
    prefix = "",
    key = SECRET,
  }: {
    algorithm?: "sha1" | "sha256";
    encoding?: "hex" | "base64";
    prefix?: string;
    key?: string | Buffer;
  } = {},
): Pick<RouterCase, "header" | "sign"> {
  return {
    header,
    sign: ({ body }, _at, { hmac }) => ({
      [header]: prefix + hmac(algorithm, key, body).toString(encoding),
    }),
  };
}

export const standard = {
  header: "webhook-signature",
  isTimed: true,
  sign: ({ body }: InboundRequest, at: Date) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": seconds(at),
    "webhook-signature": new Webhook(WHSEC).sign("msg_1", at, body.toString()),
  }),
} as const;

export const timedPairs = (header: string): Pick<RouterCase, "header" | "sign" | "isTimed"> => ({
  header,
  isTimed: true,
  sign: ({ body }, at, { hmac }) => ({
    [header]: `t=${seconds(at)},v1=${hmac("sha256", SECRET, `${seconds(at)}.${body}`).toString("hex")}`,
  }),
});

export const byConfig = (name: string, value: string) => [
  { property: `config.${name}` as const, value },
];
export const byMetadata = (name: string, value: string) => [
  { property: `metadata.${name}` as const, value },
];
export const named = [{ property: "connectionId" as const, value: "customer-1" }];
export const inAddress = { query: { svcConnectionId: "customer-1" } };
