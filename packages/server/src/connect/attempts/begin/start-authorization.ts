import { randomBytes, randomUUID } from "node:crypto";
import { generateRandomCodeVerifier } from "oauth4webapi";
import { getAuthMode } from "#auth-modes";
import { subjectOf } from "#connections";
import { findCallbackUrl } from "#environments";
import { AppError, addMs, type SystemContext } from "#foundation";
import { toSimulatorAddress } from "#foundation/egress";
import { providerOf, toAuthSubject } from "#integrations";
import { recordOperation } from "#logs";
import { lookupHash } from "#vault";
import { markFailed } from "../../funnel/mark-step.ts";
import { notePopup, notifyPopup } from "../../popup-sockets/notify-popup.ts";
import { allowsOrigin, SESSION_LIFE_MS, type SessionError } from "../../session.ts";
import { newBrowserBinding } from "../browser-binding.ts";
import {
  type ReportedError,
  reportToSession,
  toReportedError,
  toSessionError,
} from "../failure.ts";
import { toolsOf } from "../finish/save-for-session.ts";
import { sealFlowSecrets } from "../flow-secrets.ts";
import { insertFlow } from "../store.ts";
import { clientMetadataUrl } from "./client-metadata.ts";
import { isInstalledOutside } from "./connect-from-outside.ts";
import { type Attempt, type OpenSession, openAttempt, openSession } from "./open-attempt.ts";
import { type ConnectQuery, invalidQuery } from "./parse-connect-query.ts";
import { requireOwnScopes } from "./wishes.ts";

export interface StartedAuthorization {
  /** Address of the provider to send the browser to. */
  readonly location: string;
  readonly cookie: string;
}

/** Hash purpose of states. */
export const OAUTH_STATE = "oauth-state";

/** Why a browser was not sent to the provider, and which page may learn of it. */
export class StartFailure extends Error {
  override name = "StartFailure";
  readonly error: SessionError;
  readonly status: number;
  readonly openerOrigin: string | undefined;
  readonly attemptId: string | undefined;
  readonly language: string | undefined;

  constructor(
    error: SessionError,
    cause: unknown,
    attempt: Pick<StartFailure, "openerOrigin" | "attemptId" | "language">,
  ) {
    super(error.message, { cause });
    this.error = error;
    this.status = cause instanceof AppError ? cause.status : 500;
    this.openerOrigin = attempt.openerOrigin;
    this.attemptId = attempt.attemptId;
    this.language = attempt.language;
  }
}

/**
 * Begins a browser's way through the provider: state, PKCE verifier and browser binding are stored
 * as hash and sealed text, for one use within 30 minutes. What fails once the session is known also
 * reaches those who wait for the session, and is thrown as StartFailure.
 */
export async function startAuthorization(
  ctx: SystemContext,
  { integrationKey, query }: { integrationKey: string; query: ConnectQuery },
): Promise<StartedAuthorization> {
  const clientId = query.ws_client_id;
  const open = await openSession(ctx, query);
  const startedAt = ctx.clock.now();
  let openerOrigin: string | undefined;
  let attempt: Attempt | undefined;
  try {
    openerOrigin = checkOpener(ctx, open, query.opener_origin);
    attempt = await openAttempt(open, { integrationKey, query });
    const started = await begin(attempt, openerOrigin);
    await reportToSession(open.ctx, attempt, undefined);
    await notePopup(open.ctx, clientId);
    return started;
  } catch (thrown) {
    const error = toSessionError(open.ctx, thrown);
    const attemptId = query.attempt_id;
    const name = { id: attempt?.id ?? randomUUID(), attemptId };
    await reportToSession(open.ctx, { ...name, session: open.session }, error);
    await notifyPopup(open.ctx, clientId, { error, providerConfigKey: integrationKey });
    if (attempt !== undefined) {
      const { ctx, session, integration } = attempt;
      await markFailed(ctx, { session, integrationId: integration.id, type: error.type });
      logRefusal(attempt, toReportedError(error, thrown), startedAt);
    }
    const { language } = open.session.settings;
    throw new StartFailure(error, thrown, { openerOrigin, attemptId, language });
  }
}

/** The provider refused to start: the end user learns little, so the details go to the customer's logs. */
function logRefusal({ ctx, integration }: Attempt, error: ReportedError, startedAt: Date): void {
  if (error.stage === undefined) return;
  const message = `Authorize a connection of ${integration.uniqueKey}`;
  const operation = { type: "auth", action: "create_connection", message } as const;
  recordOperation(ctx, {
    ...operation,
    ...subjectOf(integration),
    startedAt,
    state: "failed",
    error,
  });
}

/** Only pages that the session allows, and the hosted page itself, may learn how an attempt ends. */
function checkOpener(
  { settings }: SystemContext,
  { session }: OpenSession,
  origin: string | undefined,
): string | undefined {
  if (origin === undefined) return undefined;
  const isOrigin = /^https?:\/\//.test(origin) && URL.parse(origin)?.origin === origin;
  if (!isOrigin) throw invalidQuery(["opener_origin"], "is not the origin of a web page");
  if (origin === new URL(settings.connectUrl).origin) return origin;
  if (allowsOrigin(session.settings, origin)) return origin;
  throw invalidQuery(
    ["opener_origin"],
    `is not among the origins that the session allows: ${origin}`,
  );
}

async function begin(
  { id, ctx, session, integration, connectionId, wishes, attemptId, clientId }: Attempt,
  openerOrigin: string | undefined,
): Promise<StartedAuthorization> {
  const provider = providerOf(integration);
  if (isInstalledOutside(provider)) {
    throw new AppError(
      "invalid_auth_mode",
      `${integration.uniqueKey} is installed at the provider; use POST /auth/oauth-outbound/${integration.uniqueKey}.`,
    );
  }
  const mode = getAuthMode(provider.auth_mode);
  if (mode.startAuthorization === undefined) {
    throw new AppError(
      "invalid_auth_mode",
      `${integration.uniqueKey} takes credentials of type ${mode.id}, which are not given in a browser redirect.`,
    );
  }
  const { ownClient, connectionConfig } = wishes;
  const subject = {
    ...(await toAuthSubject(ctx, integration, connectionConfig)),
    clientOverride: toClientOverride(ownClient),
  };
  const required = "required_scopes" in provider ? provider.required_scopes : [];
  const own = subject.integrationCredentials?.scopes?.split(",") ?? [];
  requireOwnScopes(wishes, [...own, ...required]);
  const flow = { id, environmentId: ctx.environment.id };
  const state = randomBytes(32).toString("base64url");
  const codeVerifier = generateRandomCodeVerifier();
  const redirectUri = await findCallbackUrl(ctx);
  const createdAt = ctx.clock.now();
  const { location, remember } = await mode.startAuthorization(
    subject,
    {
      redirectUri,
      state,
      codeVerifier,
      scopesOverride: wishes.scopes,
      userScopes: wishes.userScopes,
      authorizationParams: wishes.authorizationParams,
      clientMetadataUrl: clientMetadataUrl(ctx, integration.uniqueKey),
    },
    toolsOf(ctx, integration, createdAt),
  );
  const binding = newBrowserBinding(ctx.settings, flow.id);
  await insertFlow(ctx.db, ctx.environment.id, {
    id: flow.id,
    stateHash: await lookupHash(ctx, OAUTH_STATE, state),
    integrationId: integration.id,
    connectSessionId: session.id,
    secrets: await sealFlowSecrets(ctx, flow, {
      codeVerifier,
      memory: remember,
      browserSecretHash: binding.secretHash,
      redirectUri,
      connectionId,
      connectionConfig,
      ownClient,
      attemptId,
      clientId,
      openerOrigin,
      isPosted: new URL(location).searchParams.get("response_mode") === "form_post",
    }),
    createdAt,
    expiresAt: addMs(createdAt, SESSION_LIFE_MS),
  });
  const { simulator_url: simulatorUrl } = integration.settings.overrides ?? {};
  return {
    location: simulatorUrl === undefined ? location : toSimulatorAddress(simulatorUrl, location),
    cookie: binding.cookie,
  };
}

export function toClientOverride(own: { clientId: string; clientSecret: string } | undefined) {
  if (own === undefined) return undefined;
  return { client_id: own.clientId, client_secret: own.clientSecret };
}
