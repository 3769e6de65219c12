import { getProvider } from "@jackfield/catalogue";
import { AuthorizationFailure, getAuthMode, type Minted } from "#auth-modes";
import { type ConnectionInput, saveConnection, sendAuthWebhook, subjectOf } from "#connections";
import { getEnvironment } from "#environments";
import { getIntegrationById, type Integration, toAuthSubject } from "#integrations";
import { finishOperation, startOperation } from "#logs";
import {
  AppError,
  type EnvironmentContext,
  type InstallationContext,
  type OperationId,
  withEnvironment,
} from "#platform";
import { withTransaction } from "#platform/db";
import { lookupHash } from "#vault";
import { clearBrowserBinding, isBoundBrowser } from "./browser-binding.ts";
import { type FlowSecrets, openFlowSecrets } from "./flow-secrets.ts";
import type { ConnectSession, SessionError } from "./session.ts";
import { OAUTH_STATE, redirectUriOf } from "./start-authorization.ts";
import {
  completeSession,
  findSession,
  setSessionError,
  type TakenFlow,
  takeFlow,
} from "./store.ts";

export interface Callback {
  /** The query as parsed; repeated parameters are lists. */
  readonly query: unknown;
  readonly cookieHeader: string | undefined;
}

export interface FinishedAuthorization {
  /** Undefined after a success. */
  readonly error: SessionError | undefined;
  /** Makes the browser forget the flow's cookie. */
  readonly cookie: string | undefined;
}

const staleState: SessionError = {
  type: "state_err",
  message: "This authorization was already used, has expired or was not begun here. Begin again.",
};

const otherBrowser: SessionError = {
  type: "state_cookie_err",
  message: "The authorization was begun in another browser, or this one did not keep the cookie.",
};

/** Takes the browser back from the provider: consumes the state, exchanges the code, saves the connection. */
export async function finishAuthorization(
  ctx: InstallationContext,
  { query, cookieHeader }: Callback,
): Promise<FinishedAuthorization> {
  const parameters = toParameters(query);
  const flow = await consumeState(ctx, parameters["state"]);
  if (flow === undefined) return { error: staleState, cookie: undefined };
  const environment = await getEnvironment(ctx, flow.environmentId);
  const actor = { kind: "session", sessionId: flow.connectSessionId } as const;
  const error = await settle(withEnvironment(ctx, environment, actor), flow, {
    parameters,
    cookieHeader,
  });
  return { error, cookie: clearBrowserBinding(ctx.settings, flow.id) };
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** Parameters that came once; one that is repeated is as good as absent (RFC 6749 3.1). */
function toParameters(query: unknown): Parameters {
  const entries = Object.entries(typeof query === "object" && query !== null ? query : {});
  return Object.fromEntries(entries.filter(([, value]) => typeof value === "string"));
}

async function consumeState(
  ctx: InstallationContext,
  state: string | undefined,
): Promise<TakenFlow | undefined> {
  if (state === undefined || state === "") return undefined;
  const flow = await takeFlow(ctx.db, await lookupHash(ctx, OAUTH_STATE, state));
  return flow !== undefined && flow.expiresAt > ctx.clock.now() ? flow : undefined;
}

interface Attempt {
  readonly secrets: FlowSecrets;
  readonly session: ConnectSession;
  readonly integration: Integration;
  readonly operationId: OperationId;
}

async function settle(
  ctx: EnvironmentContext,
  flow: TakenFlow,
  callback: { parameters: Parameters; cookieHeader: string | undefined },
): Promise<SessionError | undefined> {
  const session = await findSession(ctx.db, ctx.environment.id, flow.connectSessionId);
  if (session === undefined) return staleState;
  const integration = await getIntegrationById(ctx, flow.integrationId);
  const secrets = await openFlowSecrets(ctx, flow);
  const operationId = await startOperation(ctx, {
    type: "auth",
    action: "create_connection",
    message: `Authorise connection ${secrets.connectionId}`,
    ...subjectOf(integration),
  });
  const attempt = { secrets, session, integration, operationId };
  const { parameters, cookieHeader } = callback;
  if (!isBoundBrowser(ctx.settings, flow.id, secrets.browserSecretHash, cookieHeader)) {
    return await settleFailure(ctx, attempt, otherBrowser);
  }
  try {
    if (session.state === "success") throw new AppError("session_used");
    await mintAndSave(ctx, attempt, parameters);
    const meta = { connection_id: secrets.connectionId };
    await finishOperation(ctx, { id: operationId, state: "success", meta });
    return undefined;
  } catch (error) {
    return await settleFailure(ctx, attempt, toSessionError(ctx, error));
  }
}

async function mintAndSave(
  ctx: EnvironmentContext,
  { secrets, session, integration, operationId }: Attempt,
  parameters: Parameters,
): Promise<void> {
  const { connectionConfig, codeVerifier, connectionId } = secrets;
  const subject = await toAuthSubject(ctx, integration, connectionConfig);
  const mode = getAuthMode(subject.provider.auth_mode);
  if (mode.finishAuthorization === undefined) throw new AppError("invalid_auth_mode");
  const issuedAt = ctx.clock.now();
  // The browser may give up, but a code that was spent should still end as a connection.
  const signal = new AbortController().signal;
  const minted: Minted = await mode.finishAuthorization(
    subject,
    { query: present(parameters), redirectUri: redirectUriOf(ctx), codeVerifier },
    { http: ctx.http, now: issuedAt, signal },
  );
  await saveForSession(ctx, session, {
    integration,
    connectionId,
    authMode: subject.provider.auth_mode,
    minted,
    issuedAt,
    connectionConfig,
    tags: session.settings.tags,
    webhookUrlOverride: session.settings.webhookUrlOverride,
    fromSession: true,
    operationId,
  });
}

function present(parameters: Parameters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** One transaction: a session whose connection is not stored is not used up, and the other way round. */
async function saveForSession(
  ctx: EnvironmentContext,
  session: ConnectSession,
  input: ConnectionInput,
): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    const { connection } = await saveConnection(ctx, input);
    const done = { id: session.id, connectionUuid: connection.uuid };
    if (!(await completeSession(ctx.db, ctx.environment.id, done))) {
      throw new AppError("session_used");
    }
  });
}

async function settleFailure(
  ctx: EnvironmentContext,
  { secrets, session, integration, operationId }: Attempt,
  error: SessionError,
): Promise<SessionError> {
  await withTransaction(ctx, async (ctx) => {
    await setSessionError(ctx.db, ctx.environment.id, { id: session.id, error });
    await sendAuthWebhook(ctx, {
      operation: "creation",
      integration,
      connection: {
        connectionId: secrets.connectionId,
        authMode: getProvider(integration.provider)?.auth_mode ?? "OAUTH2",
        webhookUrlOverride: session.settings.webhookUrlOverride,
      },
      error: { type: webhookTypes[error.type] ?? "unknown", description: error.message },
      operationId,
    });
    await finishOperation(ctx, { id: operationId, state: "failed", error });
  });
  return error;
}

/** Error types of the failure webhook (HTTP contract 4.1). */
const webhookTypes: Readonly<Record<string, string>> = {
  authorization_cancelled: "invalid_callback",
  invalid_callback: "invalid_callback",
  issuer_mismatch: "invalid_callback",
  state_cookie_err: "invalid_callback",
  unable_to_parse_token_response: "unable_to_parse_token_response",
};

function toSessionError(ctx: EnvironmentContext, thrown: unknown): SessionError {
  if (thrown instanceof AuthorizationFailure) return { type: thrown.type, message: thrown.message };
  if (thrown instanceof AppError) return { type: thrown.code, message: thrown.message };
  ctx.log.error("connect.callback_failed", { error: thrown });
  return { type: "unknown_err", message: "Something failed on our side. Begin again." };
}
