import { AppError } from "#platform";
import {
  type AuthMode,
  AuthorizationFailure,
  type AuthSubject,
  RefreshFailure,
} from "./auth-mode.ts";

/** The mode, whose failures never repeat a secret: providers echo what they were sent. */
export function withHiddenSecrets(mode: AuthMode): AuthMode {
  const { startAuthorization, finishAuthorization, completeInstallation, refresh, revoke } = mode;
  return {
    ...mode,
    accept: async (subject, given, tools) =>
      await hide(mode, subject, given, mode.accept(subject, given, tools)),
    ...(startAuthorization && {
      startAuthorization: async (subject, start, tools) =>
        await hide(mode, subject, start, startAuthorization(subject, start, tools)),
    }),
    ...(finishAuthorization && {
      finishAuthorization: async (subject, finish, tools) =>
        await hide(mode, subject, finish, finishAuthorization(subject, finish, tools)),
    }),
    ...(completeInstallation && {
      completeInstallation: async (subject, known, told, tools) =>
        await hide(mode, subject, known, completeInstallation(subject, known, told, tools)),
    }),
    ...(refresh && {
      refresh: async (subject, known, tools) =>
        await hide(mode, subject, known, refresh(subject, known, tools)),
    }),
    ...(revoke && {
      revoke: async (subject, known, tools) =>
        await hide(mode, subject, known, revoke(subject, known, tools)),
    }),
  };
}

async function hide<Result>(
  mode: AuthMode,
  subject: AuthSubject,
  given: unknown,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw hideIn(error, listSecrets(mode, subject, given));
  }
}

// Shorter ones stand in ordinary words.
const SHORTEST = 6;
const HIDDEN = "[hidden]";

function hideIn(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof Error) || !secrets.some((secret) => error.message.includes(secret))) {
    return error;
  }
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), error.message);
  // Without the cause, which says the same; why a token request failed stays known.
  if (error instanceof RefreshFailure) return withMessage(error, message);
  const { cause } = error;
  const options = cause instanceof RefreshFailure ? { cause: withMessage(cause, message) } : {};
  if (error instanceof AuthorizationFailure) {
    return new AuthorizationFailure(error.type, message, options);
  }
  if (error instanceof AppError) return new AppError(error.code, message, options);
  return new Error(message);
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
  const unique = new Set(found.filter((value) => value.length >= SHORTEST));
  return [...unique].toSorted((a, b) => b.length - a.length);
}

/** What a way through an authorization server holds, whatever the mode. */
const alwaysSecret = ["code", "codeVerifier", "client_secret"];

function collect(value: unknown, names: ReadonlySet<string>): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === "string" && names.has(name) ? [inner] : collect(inner, names),
  );
}
