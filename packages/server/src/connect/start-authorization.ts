import { randomBytes, randomUUID } from "node:crypto";
import { getAuthMode } from "#auth-modes";
import { getIntegration, toAuthSubject } from "#integrations";
import { AppError, addMs, type InstallationContext, withEnvironment } from "#platform";
import { lookupHash } from "#vault";
import { authenticateSession } from "./authenticate-session.ts";
import { type AuthorizationQuery, parseAuthorizationQuery } from "./authorization-query.ts";
import { newBrowserBinding } from "./browser-binding.ts";
import { sealFlowSecrets } from "./flow-secrets.ts";
import { allowsIntegration, type IntegrationDefaults, SESSION_LIFE_MS } from "./session.ts";
import { insertFlow, setSessionError } from "./store.ts";

export interface StartedAuthorization {
  /** Address of the provider to send the browser to. */
  readonly location: string;
  readonly cookie: string;
}

/** Hash purpose of states. */
export const OAUTH_STATE = "oauth-state";

export function redirectUriOf({ settings }: InstallationContext): string {
  return `${settings.serverUrl}/oauth/callback`;
}

/**
 * Begins a browser's way through the provider: state, PKCE verifier and browser binding are stored
 * as hash and sealed text, for one use within 30 minutes. Throws the codes of HTTP contract 3.2.
 */
export async function startAuthorization(
  ctx: InstallationContext,
  { integrationKey, query: given }: { integrationKey: string; query: unknown },
): Promise<StartedAuthorization> {
  const query = parseAuthorizationQuery(given);
  const { environment, session } = await authenticateSession(ctx, query.connect_session_token);
  const actor = { kind: "session", sessionId: session.id } as const;
  const envCtx = withEnvironment(ctx, environment, actor);
  if (session.state === "success") throw new AppError("session_used");
  if (!allowsIntegration(session, integrationKey)) {
    throw new AppError(
      "integration_not_allowed",
      `The connect session does not allow the integration ${integrationKey}.`,
    );
  }
  const integration = await getIntegration(envCtx, integrationKey);
  const wishes = mergeWishes(query, session.settings.defaults[integrationKey] ?? {});
  const subject = await toAuthSubject(envCtx, integration, wishes.connectionConfig);
  const mode = getAuthMode(subject.provider.auth_mode);
  if (mode.startAuthorization === undefined) {
    throw new AppError(
      "invalid_auth_mode",
      `${integrationKey} takes credentials of type ${mode.id}, which are not given in a browser redirect.`,
    );
  }

  const flow = { id: randomUUID(), environmentId: environment.id };
  const state = randomBytes(32).toString("base64url");
  const codeVerifier = randomBytes(32).toString("base64url");
  const location = mode.startAuthorization(subject, {
    redirectUri: redirectUriOf(ctx),
    state,
    codeVerifier,
    scopesOverride: wishes.scopes,
    authorizationParams: wishes.authorizationParams,
  });
  const binding = newBrowserBinding(ctx.settings, flow.id);
  const createdAt = ctx.clock.now();
  await insertFlow(ctx.db, environment.id, {
    id: flow.id,
    stateHash: await lookupHash(ctx, OAUTH_STATE, state),
    integrationId: integration.id,
    connectSessionId: session.id,
    secrets: await sealFlowSecrets(ctx, flow, {
      codeVerifier,
      browserSecretHash: binding.secretHash,
      connectionId: randomUUID(),
      connectionConfig: wishes.connectionConfig,
    }),
    createdAt,
    expiresAt: addMs(createdAt, SESSION_LIFE_MS),
  });
  await setSessionError(ctx.db, environment.id, { id: session.id, error: undefined });
  return { location, cookie: binding.cookie };
}

/** What the end user's client asks for, under what the customer fixed (HTTP contract 3.2). */
function mergeWishes(query: AuthorizationQuery, defaults: IntegrationDefaults) {
  const fixed = defaults.connectionConfig ?? {};
  const {
    webhook_url: _url,
    oauth_scopes_override: scopes,
    ...config
  } = {
    ...query.params,
    ...fixed,
  };
  return {
    connectionConfig: config,
    scopes:
      withoutBlank(defaults.userScopes) ?? withoutBlank(scopes) ?? withoutBlank(query.user_scope),
    authorizationParams: { ...query.authorization_params, ...defaults.authorizationParams },
  };
}

function withoutBlank(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
