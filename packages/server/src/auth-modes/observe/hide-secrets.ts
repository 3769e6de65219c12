import { isDeepStrictEqual } from "node:util";
import { AppError } from "#foundation";
import type { AuthMode, AuthSubject } from "../auth-mode.ts";
import { cutExcerpt } from "./excerpt-answer.ts";
import { ProviderFailure } from "./provider-failure.ts";

// Shorter ones stand in ordinary words.
const SHORTEST = 6;
const HIDDEN = "[hidden]";

/** What a call of a mode was made with. */
export interface CallSecrets {
  readonly mode: Pick<AuthMode, "fields" | "clientFields" | "secrets">;
  readonly subject: AuthSubject;
  readonly given: object;
}

/** The error without the secrets of its call, in its message, its details and the provider's answer. */
export function hideSecretsIn(error: unknown, call: CallSecrets): unknown {
  if (!(error instanceof Error)) return error;
  const secrets = listSecrets(call);
  const shown = hideInMessage(error, secrets);
  if (!(shown instanceof ProviderFailure) || shown.upstream === undefined) return shown;
  const { status, body } = shown.upstream;
  return shown.with({ upstream: { status, body: cutExcerpt(hideSecrets(body, secrets)) } });
}

/** A provider's answer without the secrets of its call, in any of the forms in which providers repeat them. */
export function hideCallSecrets(text: string, calls: readonly CallSecrets[]): string {
  return hideSecrets(text, [...new Set(calls.flatMap(listSecrets))]);
}

function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}

/** The text without these, in any of the forms in which providers repeat what they were sent. */
export function hideTexts(text: string, secrets: readonly string[]): string {
  return hideSecrets(text, withForms(secrets));
}

function hideInMessage(error: Error, secrets: readonly string[]): Error {
  const message = hideSecrets(error.message, secrets);
  const before = error instanceof AppError ? error.details : undefined;
  const details = before && hideInDetails(before, secrets);
  if (message === error.message && isDeepStrictEqual(details, before)) return error;
  // Without the cause, which says the same.
  if (error instanceof ProviderFailure) return error.with({ message, details, cause: undefined });
  if (!(error instanceof AppError)) return new Error(message);
  return new AppError(error.code, message, { ...(details && { details }) });
}

type Details = NonNullable<AppError["details"]>;

function hideInDetails(details: Details, secrets: readonly string[]): Details {
  const hidden = JSON.stringify(details, (_name, value: unknown) =>
    typeof value === "string" ? hideSecrets(value, secrets) : value,
  );
  return asDetails(JSON.parse(hidden));
}

// A JSON that was made of details.
function asDetails(value: unknown): Details {
  return value as Details;
}

/** Values under names that the mode, its forms or the entry call secret; the longest first. */
function listSecrets({ mode, subject, given }: CallSecrets): string[] {
  const { provider, integrationCredentials, integrationConfig, connectionConfig } = subject;
  const fields = {
    ...mode.fields,
    ...mode.clientFields,
    ...provider.credentials,
    ...provider.connection_config,
    ...provider.integration_config,
  };
  const names = new Set([...mode.secrets, ...alwaysSecret]);
  for (const [name, field] of Object.entries(fields)) if (field.secret === true) names.add(name);
  const found = [
    given,
    integrationCredentials,
    integrationConfig,
    connectionConfig,
    subject.clientOverride,
  ].flatMap((value) => collect(value, names));
  const long = found.filter((value) => value.length >= SHORTEST);
  return withForms(long);
}

/** The longest first. */
function withForms(secrets: readonly string[]): string[] {
  const unique = new Set(secrets.flatMap((value) => [value, ...listEncodedForms(value)]));
  return [...unique].toSorted((a, b) => b.length - a.length);
}

/** The secrets of a flow through an authorization server, in every mode. */
const alwaysSecret = [
  "code",
  "codeVerifier",
  "client_secret",
  "previous_client_secret",
  "dpop_key",
];

function collect(value: unknown, names: ReadonlySet<string>): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === "string" && names.has(name) ? [inner] : collect(inner, names),
  );
}

/** How a secret looks in the texts in which providers repeat what they were sent, besides as it is. */
function listEncodedForms(secret: string): string[] {
  const text = secret.toWellFormed();
  const percent = encodeURIComponent(text);
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[^ -~]/g, toUnicodeEscape);
  return [
    ...[percent, percent.replace(/%../g, (code) => code.toLowerCase())],
    form,
    ...[json, json.replaceAll("/", "\\/"), ascii, ascii.replaceAll("/", "\\/")],
    Buffer.from(text).toString("hex"),
    ...listBase64Forms(text),
  ];
}

function toUnicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Alone or behind other bytes, as in `user:secret`: what of it does not depend on its neighbours. */
function listBase64Forms(text: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const [first, end] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return (["base64", "base64url"] as const).map((kind) => bytes.toString(kind).slice(first, end));
  });
}
