import { getAuthMode, needsTestCall, verifyCredentials } from "#auth-modes";
import {
  type ConnectionForCall,
  type FreshCredentials,
  findCredentialFailure,
  getFreshCredentials,
  getHealthOf,
  newAuthTools,
} from "#connections";
import { AppError, type EnvironmentContext, SECOND } from "#foundation";
import { type Integration, toAuthSubject } from "#integrations";
import { type Finding, failed } from "./check.ts";

const PATIENCE_MS = 15 * SECOND;

const cures: Partial<Record<string, string>> = {
  invalid_credentials:
    "Ask the end user to connect again: `POST /connect/sessions/reconnect` makes the link.",
  connection_refresh_backoff:
    "The server tries again by itself; `POST /connections/{connectionId}/refresh` tries now.",
  integration_misconfigured:
    "Correct the client id and the client secret of the integration; connections then recover by themselves.",
  connection_frozen:
    "Release the revocation (`POST /revocations/{revocationId}/release`), or ask the end user to connect again.",
  quarantined: "This is a restored copy: `jackfield resume` lets it renew tokens.",
};

/** Whether there are credentials that can be used; they are renewed where they are about to expire. */
export async function checkToken(
  ctx: EnvironmentContext,
  known: Parameters<typeof getFreshCredentials>[1],
): Promise<{ finding: Finding; fresh: FreshCredentials | undefined }> {
  try {
    const fresh = await getFreshCredentials(ctx, known);
    if (fresh.credentials["pending"] === true) {
      const message = "The connection waits for a webhook of the provider that completes it.";
      const nextStep = "Finish the installation at the provider.";
      return { finding: { check: "token", status: "failed", message, nextStep }, fresh: undefined };
    }
    return { finding: (await findLastUse(ctx, fresh)) ?? usable, fresh };
  } catch (error) {
    return { finding: failed("token", error, cureOf(error)), fresh: undefined };
  }
}

const usable: Finding = {
  ...{ check: "token", status: "ok", message: "There are credentials that can be used." },
};

/** A token that is not at its end yet, or not by its date, and that cannot be renewed. */
async function findLastUse(
  ctx: EnvironmentContext,
  { connection }: FreshCredentials,
): Promise<Finding | undefined> {
  const failure = await findCredentialFailure(ctx, connection.uuid);
  if (failure === undefined) return undefined;
  const finding = failed("token", failure, cureOf(failure));
  return failure.code === "invalid_credentials" ? finding : { ...finding, status: "warning" };
}

function cureOf(error: unknown): string {
  const code = error instanceof AppError ? error.code : "";
  return cures[code] ?? "Read `errors` of the connection for what the provider answered.";
}

/** Whether the provider granted what the integration asks for, as far as its token answer says. */
export async function checkScopes(
  ctx: EnvironmentContext,
  integration: Integration,
  { connection }: FreshCredentials,
): Promise<Finding> {
  const health = await getHealthOf(ctx, connection);
  const granted = health.scopes_granted;
  const wanted = await listAskedScopes(ctx, { integration, connection });
  if (wanted.length === 0 || granted === null) {
    const message =
      wanted.length === 0
        ? "The integration asks for no scopes."
        : "The provider does not say which scopes it granted.";
    return { check: "scopes", status: "skipped", message };
  }
  const missing = wanted.filter((scope) => !granted.includes(scope));
  const scopes = { asked: wanted, granted, missing };
  if (missing.length === 0) {
    const message = `All ${wanted.length} scopes were granted.`;
    return { check: "scopes", status: "ok", message, scopes };
  }
  return {
    ...{ check: "scopes", status: "warning", scopes },
    message: `The provider did not grant: ${missing.slice(0, 20).join(", ")}.`,
    nextStep:
      "Ask the end user to connect again and to allow everything: `POST /connect/sessions/reconnect` makes the link.",
  };
}

/** Scopes that end users are asked for: the integration's, unless the connection has others in their place. */
export async function listAskedScopes(
  ctx: EnvironmentContext,
  { integration, connection }: ConnectionForCall,
): Promise<string[]> {
  const subject = await toAuthSubject(ctx, integration, connection.connectionConfig);
  const override = connection.connectionConfig["oauth_scopes_override"];
  return (override ?? subject.integrationCredentials?.scopes ?? "")
    .split(/[\s,]+/)
    .filter((scope) => scope !== "");
}

/** The call that the provider's entry names to try credentials. */
export async function checkTestRequest(
  ctx: EnvironmentContext,
  integration: Integration,
  { connection, credentials }: FreshCredentials,
): Promise<Finding> {
  const { connectionConfig } = connection;
  const subject = await toAuthSubject(ctx, integration, connectionConfig);
  if (!needsTestCall(subject)) {
    const message = "The catalogue names no call to try the credentials with.";
    return { check: "test_request", status: "skipped", message };
  }
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const tools = newAuthTools(ctx, integration, signal);
  try {
    await verifyCredentials(getAuthMode(connection.authMode), subject, credentials, tools);
    const message = "The provider accepted the credentials.";
    return { check: "test_request", status: "ok", message };
  } catch (error) {
    const cure =
      "If the provider's answer speaks of the credentials, ask the end user to connect again; otherwise try again later.";
    return failed("test_request", error, cure);
  }
}
