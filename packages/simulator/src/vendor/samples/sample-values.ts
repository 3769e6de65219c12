import { generateKeyPairSync } from "node:crypto";
import type { Field, Provider } from "@jackfield/catalogue";
import { sampleText } from "./sample-text.ts";

/** What a customer and an end user would type for a provider, and what the vendor fills in itself. */
export interface SampleValues {
  readonly integrationConfig: Readonly<Record<string, string>>;
  /** Values that are asked for. */
  readonly connectionConfig: Readonly<Record<string, string>>;
  /** Values that the vendor tells: captured from callbacks and answers. */
  readonly reported: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, string>>;
  readonly client: SampleClient;
}

export interface SampleClient {
  readonly id: string;
  readonly secret: string;
  readonly appId: string;
  readonly appLink: string;
  /** PEM. */
  readonly privateKey: string;
}

// Made once: a key of 2048 bits takes a tenth of a second.
let rsa: string | undefined;
let elliptic: string | undefined;

function rsaKey(): string {
  rsa ??= toPem(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
  return rsa;
}

function ellipticKey(): string {
  elliptic ??= toPem(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
  return elliptic;
}

function toPem(key: {
  export(options: { type: "pkcs8"; format: "pem" }): string | Buffer;
}): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

/**
 * The same for each call, but for keys; secrets hold what has to be encoded on its way. Without the optional
 * fields that have no default, on request.
 */
export function sampleValues(
  entry: Provider,
  { withOptional = true }: { withOptional?: boolean } = {},
): SampleValues {
  const provider = withOptional ? entry : withoutOptionalFields(entry);
  const reported = Object.fromEntries(
    listReported(provider).map((name) => [name, sampleReported(provider, name)]),
  );
  return {
    integrationConfig: sampleFields(provider, provider.integration_config),
    connectionConfig: sampleFields(
      provider,
      provider.connection_config,
      new Set(listReported(provider)),
    ),
    reported,
    credentials: { ...modeCredentials(provider), ...sampleFields(provider, provider.credentials) },
    client: {
      id: `client-${provider.id}`,
      secret: "s3cret+/=&:%",
      appId: "123456",
      appLink: `https://${provider.id.replaceAll("_", "-")}.vendor.example/apps/sample`,
      privateKey: rsaKey(),
    },
  };
}

function withoutOptionalFields(entry: Provider): Provider {
  const asked = (fields: Readonly<Record<string, Field>>) =>
    Object.fromEntries(
      Object.entries(fields).filter(
        ([, field]) => !field.optional || field.automated || field.default !== undefined,
      ),
    );
  return {
    ...entry,
    integration_config: asked(entry.integration_config),
    connection_config: asked(entry.connection_config),
    credentials: asked(entry.credentials),
  };
}

/** Fields that no one types. */
function listReported(provider: Provider): string[] {
  const saved = provider.after_connect.flatMap(({ save }) => Object.keys(save));
  const capture = "capture" in provider ? provider.capture : undefined;
  const called = capture !== undefined && "callback" in capture ? (capture.callback ?? {}) : {};
  return [
    ...Object.keys(capture?.token ?? {}),
    ...Object.keys(called),
    // What may be typed as well is typed.
    ...saved.filter((name) => provider.connection_config[name]?.automated !== false),
  ];
}

function sampleReported(provider: Provider, name: string): string {
  const field = provider.connection_config[name];
  if (field !== undefined && (field.pattern ?? field.enum) !== undefined) {
    return sampleField(provider, name, field);
  }
  const addresses = [provider.base_url, "token_url" in provider ? provider.token_url : []].flat();
  const texts = addresses.map((address) => address?.text ?? "");
  const stands = (before: RegExp) =>
    texts.some(
      (text) =>
        before.test(text.split(`{{config.${name}}}`, 1)[0] ?? "") &&
        text.includes(`{{config.${name}}}`),
    );
  if (stands(/^$/)) return `https://told.${toHostLabel(provider.id)}.vendor.example`;
  if (stands(/^https:\/\/$/)) return `told.${toHostLabel(provider.id)}.vendor.example`;
  return `told-${name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")}`;
}

function toHostLabel(id: string): string {
  return id.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
}

function sampleFields(
  provider: Provider,
  fields: Readonly<Record<string, Field>>,
  left: ReadonlySet<string> = new Set(),
): Record<string, string> {
  const entries = Object.entries(fields).flatMap(([name, field]) =>
    field.automated || left.has(name) ? [] : [[name, sampleField(provider, name, field)]],
  );
  return Object.fromEntries(entries);
}

function sampleField(provider: Provider, name: string, field: Field): string {
  if (field.default !== undefined) return field.default;
  if (field.enum !== undefined) return field.enum[0] ?? "";
  if (field.example !== undefined && !field.secret) return field.example;
  if (field.pattern !== undefined) return sampleText(field.pattern);
  switch (field.format) {
    case "hostname":
      return `tenant.${toHostLabel(provider.id)}.vendor.example`;
    case "uri":
      return `https://tenant.${toHostLabel(provider.id)}.vendor.example/${name.toLowerCase()}`;
    case "base_url":
      return `https://tenant.${toHostLabel(provider.id)}.vendor.example/base`;
    case "email":
      return "ada@example.com";
    case "uuid":
      return field.secret
        ? "3c9f0d52-6a18-4e7b-b0d4-95e2c7a1f386"
        : "8f14e45f-ceea-467f-a6b9-1f5a3d2c7b10";
    case "pem":
      return usesEllipticKey(provider) ? ellipticKey() : rsaKey();
    case "template":
      return "Key {{credentials.apiKey}}";
    case undefined:
      return field.secret ? `s3cret+/=&-${name}` : `sample-${name.toLowerCase()}`;
  }
}

function usesEllipticKey(provider: Provider): boolean {
  const rules =
    "signed_token" in provider
      ? provider.signed_token
      : "signed_assertion" in provider
        ? provider.signed_assertion
        : undefined;
  return rules?.alg === "ES256";
}

/** Credentials that the mode asks for regardless of the entry. */
function modeCredentials({ auth_mode: mode }: Provider): Record<string, string> {
  switch (mode) {
    case "API_KEY":
      return { apiKey: "k3y-42.abc_DEF~" };
    case "BASIC":
    case "SIGNATURE":
      return { username: "ada", password: "pass+/=:%" };
    case "OAUTH2_CC":
      return { client_id: "own-client", client_secret: "own s3cret+/=&" };
    case "TBA":
      return { token_id: "token-id", token_secret: "token-s3cret+/=" };
    case "BILL":
      return { username: "ada", password: "pass", organization_id: "org", dev_key: "dev-key" };
    case "AWS_SIGV4":
      return { role_arn: "arn:aws:iam::123456789012:role/sample", region: "eu-central-1" };
    default:
      return {};
  }
}
