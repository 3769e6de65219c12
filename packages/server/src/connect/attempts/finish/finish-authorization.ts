import { type AuthSubject, getAuthMode, type Minted } from "#auth-modes";
import { subjectOf } from "#connections";
import { getEnvironment } from "#environments";
import {
  AppError,
  type EnvironmentContext,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { findIntegrationById, type Integration, toAuthSubject } from "#integrations";
import { type BegunOperation, beginOperation, finishOperation } from "#logs";
import type { FinishedAuthorization } from "../../ending.ts";
import { notifyPopup } from "../../popup-sockets/notify-popup.ts";
import type { ConnectSession, SessionError } from "../../session.ts";
import { findSession } from "../../store.ts";
import { findKeptConfig, requireUnused } from "../begin/open-attempt.ts";
import { toClientOverride } from "../begin/start-authorization.ts";
import { clearBrowserBinding, isBoundBrowser } from "../browser-binding.ts";
import { reportToSession, settleFailure, toSessionError } from "../failure.ts";
import { type FlowSecrets, openFlowSecrets } from "../flow-secrets.ts";
import type { TakenFlow } from "../store.ts";
import { consumeFlow, type Parameters, toParameters } from "./find-flow.ts";
import { saveForSession, toolsOf } from "./save-for-session.ts";

export interface Callback {
  /** The query as parsed; repeated parameters are lists. */
  readonly query: unknown;
  readonly cookieHeader: string | undefined;
}

export const staleState: SessionError = {
  type: "state_err",
  message: "This authorization was already used, has expired or was not begun here. Begin again.",
};

const otherBrowser: SessionError = {
  type: "state_cookie_err",
  message: "The authorization was begun in another browser, or this one did not keep the cookie.",
};

/** Takes the browser back from the provider: consumes the state, exchanges the code, saves the connection. */
export async function finishAuthorization(
  ctx: SystemContext,
  { query, cookieHeader }: Callback,
): Promise<FinishedAuthorization> {
  const parameters = toParameters(query);
  const flow = await consumeFlow(ctx, parameters);
  if (flow === undefined) return { error: staleState };
  const environment = await getEnvironment(ctx, flow.environmentId);
  const actor = { kind: "session", sessionId: flow.connectSessionId } as const;
  const envCtx = withEnvironment(ctx, environment, actor);
  const session = await findSession(ctx.db, environment.id, flow.connectSessionId);
  const cookie = clearBrowserBinding(ctx.settings, flow.id);
  const secrets = await openFlowSecrets(envCtx, flow);
  if (session === undefined || session.expiresAt <= ctx.clock.now()) {
    await withTransaction(
      envCtx,
      async (ctx) => await notifyPopup(ctx, secrets.clientId, { error: staleState }),
    );
    return { error: staleState, cookie };
  }
  const { language } = session.settings;
  const integration = await findIntegrationById(envCtx, flow.integrationId);
  if (integration === undefined) {
    await withTransaction(envCtx, async (ctx) => {
      const name = { id: flow.id, attemptId: secrets.attemptId };
      await reportToSession(ctx, { ...name, session }, integrationGone);
      await notifyPopup(ctx, secrets.clientId, { error: integrationGone });
    });
    return { error: integrationGone, cookie, language };
  }
  const operation = note(envCtx, integration);
  const attempt = { id: flow.id, secrets, session, integration, operation };
  if (!isSameBrowser(envCtx, flow, { integration, secrets, cookieHeader })) {
    await settleFailure(envCtx, { ...attempt, ...secrets }, otherBrowser);
    // A browser that did not begin the attempt gets no details and no redirect.
    return { error: otherBrowser, cookie, language };
  }
  const outcome = await conclude(envCtx, attempt, parameters);
  const { attemptId, openerOrigin } = secrets;
  // A client on a socket has opened this window, and closes it.
  const returnUrl = secrets.clientId === undefined ? session.settings.returnUrl : undefined;
  return { ...outcome, cookie, attemptId, openerOrigin, returnUrl, language };
}

const integrationGone: SessionError = {
  type: "unknown_provider_config",
  message: "What you wanted to connect to is no longer offered here.",
};

function note(ctx: EnvironmentContext, integration: Integration): BegunOperation {
  return beginOperation(ctx, {
    type: "auth",
    action: "create_connection",
    message: `Authorize a connection of ${integration.uniqueKey}`,
    ...subjectOf(integration),
  });
}

/** The customer may switch the binding off where an integration's callback passes through another host. */
function isSameBrowser(
  { settings }: EnvironmentContext,
  flow: TakenFlow,
  found: { integration: Integration; secrets: FlowSecrets; cookieHeader: string | undefined },
): boolean {
  const { integration, secrets, cookieHeader } = found;
  if (integration.settings.state_binding === "off") return true;
  return isBoundBrowser(settings, flow.id, secrets.browserSecretHash, cookieHeader);
}

interface Attempt {
  readonly id: string;
  readonly secrets: FlowSecrets;
  readonly session: ConnectSession;
  readonly integration: Integration;
  readonly operation: BegunOperation;
}

async function conclude(
  ctx: EnvironmentContext,
  attempt: Attempt,
  parameters: Parameters,
): Promise<Pick<FinishedAuthorization, "error" | "made">> {
  const { secrets, session, integration, operation } = attempt;
  const { connectionId } = secrets;
  try {
    await requireUnused(ctx, session);
    const { isPending = false } = await mintAndSave(ctx, attempt, parameters);
    const meta = { connection_id: connectionId };
    finishOperation(ctx, operation, { state: "success", meta });
    const made = { connectionId, providerConfigKey: integration.uniqueKey, isPending };
    return { error: undefined, made };
  } catch (thrown) {
    const error = toSessionError(ctx, thrown);
    await settleFailure(ctx, { ...attempt, ...secrets }, error, thrown);
    return { error };
  }
}

async function mintAndSave(
  ctx: EnvironmentContext,
  { id, secrets, session, integration, operation }: Attempt,
  parameters: Parameters,
): Promise<Minted> {
  const { connectionConfig, codeVerifier, connectionId, ownClient, attemptId, clientId } = secrets;
  const subject: AuthSubject = {
    ...(await toAuthSubject(ctx, integration, connectionConfig)),
    clientOverride: toClientOverride(ownClient),
    keptConfig: await findKeptConfig(ctx, session),
  };
  const authMode = subject.provider.auth_mode;
  const mode = getAuthMode(authMode);
  if (mode.finishAuthorization === undefined) throw new AppError("invalid_auth_mode");
  const { redirectUri, memory: remembered } = secrets;
  const minted = withRefreshToken(
    await mode.finishAuthorization(
      subject,
      { query: parameters, redirectUri, codeVerifier, remembered },
      toolsOf(ctx, integration, ctx.clock.now()),
    ),
    ownClient?.refreshToken,
  );
  await saveForSession(ctx, {
    session,
    attempt: { id, attemptId, clientId },
    input: {
      integration,
      connectionId,
      authMode,
      minted,
      issuedAt: minted.issuedAt,
      connectionConfig: {
        ...connectionConfig,
        // The id is no secret; the client's secret stays among the credentials.
        ...(ownClient === undefined ? {} : { oauth_client_id_override: ownClient.clientId }),
      },
      operationId: operation.id,
    },
  });
  return minted;
}

function withRefreshToken(minted: Minted, own: string | undefined): Minted {
  if (own === undefined) return minted;
  return { ...minted, credentials: { ...minted.credentials, refresh_token: own } };
}
