import { AuthorizationFailure, type Credentials, getAuthMode, type Minted } from "#auth-modes";
import { subjectOf } from "#connections";
import { providerOf, toAuthSubject } from "#integrations";
import { finishOperation, startOperation } from "#logs";
import { AppError, type InstallationContext } from "#platform";
import type { SessionError } from "../session.ts";
import {
  type FailedAttempt,
  findOutage,
  tellCustomer,
  toSessionError,
  toToldError,
} from "./failure.ts";
import { type Attempt, openAttempt, openSession } from "./open-attempt.ts";
import type { ConnectQuery } from "./parse-connect-query.ts";
import { saveForSession, toolsOf } from "./save-for-session.ts";

export interface TypedCredentials {
  readonly integrationKey: string;
  readonly query: ConnectQuery;
  /** Of the type that the route is for. */
  readonly given: Credentials;
}

export interface MadeConnection {
  readonly connectionId: string;
  readonly providerConfigKey: string;
  readonly isPending?: true;
}

/** Makes the session's connection from what the end user typed; throws the codes that its route lists. */
export async function connectWithCredentials(
  ctx: InstallationContext,
  { integrationKey, query, given }: TypedCredentials,
): Promise<MadeConnection> {
  const open = await openSession(ctx, query);
  const attempt = await openAttempt(open, { integrationKey, query });
  const mode = getAuthMode(providerOf(attempt.integration).auth_mode);
  if (given.type !== mode.id) {
    throw new AppError(
      "invalid_auth_mode",
      `${integrationKey} takes credentials of type ${mode.id}, not ${given.type}.`,
    );
  }
  return await makeConnection(
    attempt,
    async (subject, tools) => await mode.accept(subject, toCredentials(given), tools),
  );
}

type Subject = Awaited<ReturnType<typeof toAuthSubject>>;

/** Mints with `mint` and stores the session's connection. */
export async function makeConnection(
  attempt: Attempt,
  mint: (subject: Subject, tools: ReturnType<typeof toolsOf>) => Promise<Minted>,
): Promise<MadeConnection> {
  const { ctx, session, integration, connectionId, attemptId, wishes } = attempt;
  const operationId = await startOperation(ctx, {
    type: "auth",
    action: "create_connection",
    message: `Make connection ${connectionId}`,
    ...subjectOf(integration),
  });
  try {
    const subject = await toAuthSubject(ctx, integration, wishes.connectionConfig);
    const issuedAt = ctx.clock.now();
    const minted = await mint(subject, toolsOf(ctx, integration, issuedAt));
    await saveForSession(ctx, {
      session,
      attemptId,
      input: {
        integration,
        connectionId,
        authMode: subject.provider.auth_mode,
        minted,
        issuedAt: minted.issuedAt,
        connectionConfig: wishes.connectionConfig,
        operationId,
      },
    });
    const meta = { connection_id: connectionId };
    await finishOperation(ctx, { id: operationId, state: "success", meta });
    const made = { connectionId, providerConfigKey: integration.uniqueKey };
    return minted.isPending === true ? { ...made, isPending: true } : made;
  } catch (error) {
    const shown = await settle(attempt, operationId, error);
    if (error instanceof AppError && error.code === "connection_test_failed") {
      throw new AppError(findOutage(error), shown.message, { cause: error });
    }
    if (!(error instanceof AuthorizationFailure)) throw error;
    throw new AppError("connection_test_failed", shown.message, { cause: error });
  }
}

/**
 * The end user sees what is wrong and tries again, so the session goes on and the customer is told only
 * of what no other input would change.
 */
async function settle(
  { ctx, ...attempt }: Attempt,
  operationId: FailedAttempt["operationId"],
  thrown: unknown,
): Promise<SessionError> {
  const error = toSessionError(ctx, thrown);
  await finishOperation(ctx, {
    id: operationId,
    state: "failed",
    error: toToldError(error, thrown),
  });
  const isOurs = error.type === "unknown_err" || error.type === "connection_validation_failed";
  if (isOurs) await tellCustomer(ctx, { ...attempt, operationId }, error);
  return error;
}

/** An end user's own OAuth client is kept in the form in which imports bring it. */
function toCredentials(given: Credentials): Credentials {
  const {
    oauth_client_id_override: clientId,
    oauth_client_secret_override: clientSecret,
    ...own
  } = given;
  if (!clientId && !clientSecret) return own;
  return { ...own, config_override: { client_id: clientId, client_secret: clientSecret } };
}
