import { isDeepStrictEqual } from "node:util";
import { AppError } from "#platform";
import { aroundCalls } from "./around-calls.ts";
import {
  type AuthMode,
  AuthorizationFailure,
  type AuthSubject,
  RefreshFailure,
} from "./auth-mode.ts";
import { listEncodedForms } from "./encoded-forms.ts";
import { cutExcerpt } from "./excerpt-answer.ts";
import { type StageFacts, setStageFacts, stageFactsOf } from "./in-stage.ts";

/** The mode, whose failures never repeat a secret: providers echo what they were sent. */
export function withHiddenSecrets(mode: AuthMode): AuthMode {
  return aroundCalls(mode, async ({ subject, given, tools }, run) => {
    try {
      return await run(tools);
    } catch (error) {
      throw hideIn(error, listSecrets(mode, subject, given));
    }
  });
}

// Shorter ones stand in ordinary words.
const SHORTEST = 6;
const HIDDEN = "[hidden]";

function hideIn(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof Error)) return error;
  const facts = stageFactsOf(error);
  const shown = hideInMessage(error, secrets);
  if (facts !== undefined) setStageFacts(shown, hideInFacts(facts, secrets));
  return shown;
}

function hideInFacts(facts: StageFacts, secrets: readonly string[]): StageFacts {
  if (facts.upstream === undefined) return facts;
  const { status, body } = facts.upstream;
  return { ...facts, upstream: { status, body: cutExcerpt(hideSecrets(body, secrets)) } };
}

function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}

function hideInMessage(error: Error, secrets: readonly string[]): Error {
  const message = hideSecrets(error.message, secrets);
  const before = error instanceof AppError ? error.details : undefined;
  const details = before && hideInDetails(before, secrets);
  if (message === error.message && isDeepStrictEqual(details, before)) return error;
  // Without the cause, which says the same; why a token request failed stays known.
  if (error instanceof RefreshFailure) return withMessage(error, message);
  const { cause } = error;
  const options = cause instanceof RefreshFailure ? { cause: withMessage(cause, message) } : {};
  if (error instanceof AuthorizationFailure) {
    return new AuthorizationFailure(error.type, message, options);
  }
  if (error instanceof AppError) {
    return new AppError(error.code, message, { ...options, ...(details && { details }) });
  }
  return new Error(message);
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

function withMessage(failure: RefreshFailure, message: string): RefreshFailure {
  const { kind, retryAfterMs, withoutToken } = failure;
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new RefreshFailure(kind, message, { withoutToken, ...wait });
}

/** Values under names that the mode, its forms or the entry call secret; the longest first. */
function listSecrets(mode: AuthMode, subject: AuthSubject, given: unknown): string[] {
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
  const unique = new Set(long.flatMap((value) => [value, ...listEncodedForms(value)]));
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
