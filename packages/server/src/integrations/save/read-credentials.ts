import type { Provider } from "@jackfield/catalogue";
import { integrationCredentials } from "@jackfield/contract";
import { getAuthMode, type IntegrationCredentials } from "#auth-modes";
import { AppError, type EnvironmentContext, invalidFields, parseValues } from "#foundation";
import { findCallbackUrlOf } from "../reading/find-callback-url-of.ts";

/** Credentials as callers send them: without `type` they are those of the provider's mode. */
export type GivenCredentials = Readonly<Record<string, unknown>> & {
  readonly type?: string | undefined;
};

/**
 * Whether an integration may have credentials of its own is up to the mode; others keep theirs with the connection.
 * Without them connecting fails until they are set, or until an end user brings an OAuth client. Throws invalid_body.
 */
export async function readCredentials(
  ctx: EnvironmentContext,
  provider: Provider,
  given: GivenCredentials | undefined,
): Promise<IntegrationCredentials | undefined> {
  if (given === undefined) return undefined;
  const { id: type, clientFields } = getAuthMode(provider.auth_mode);
  if (clientFields === undefined) {
    throw refusal(`must be left out: those of ${provider.id} belong to each connection`);
  }
  if (given.type !== undefined && given.type !== type) {
    throw refusal(`must have the type ${type}, which ${provider.id} uses, not ${given.type}`);
  }
  try {
    const at = { code: "invalid_body", within: ["credentials"] } as const;
    return parseValues(integrationCredentials, { ...given, type }, at);
  } catch (error) {
    throw await withCallbackUrl(ctx, provider, error);
  }
}

function refusal(message: string): AppError {
  return invalidFields("invalid_body", [{ path: ["credentials"], message }]);
}

/** Who registers an app at the provider needs this address there, and then has what was missing here. */
async function withCallbackUrl(
  ctx: EnvironmentContext,
  provider: Provider,
  error: unknown,
): Promise<unknown> {
  const callbackUrl = await findCallbackUrlOf(ctx, provider);
  if (!(error instanceof AppError) || callbackUrl === undefined) return error;
  const { code, message, details } = error;
  return new AppError(
    code,
    `${message} Callback URL to register at ${provider.display_name}: ${callbackUrl}`,
    { ...(details === undefined ? {} : { details }), cause: error },
  );
}
