import { generateKeyPairSync } from "node:crypto";
import { LRUCache } from "lru-cache";
import type * as OidcProvider from "oidc-provider";
import type { Configuration, Provider } from "oidc-provider";
import {
  DAY,
  type EnvironmentContext,
  HOUR,
  MINUTE,
  refuseUntilEnd,
  SECOND,
  serverState,
  stopping,
  WindowCounts,
  windowAt,
  withEnvironment,
} from "#foundation";
import { throughEgress } from "#people";
import { deriveKey } from "#vault";
import { noteRefusal } from "../sign-in/note-refusal.ts";
import { findSignIn } from "../sign-in/store.ts";
import { errorHtml } from "./pages.ts";
import { findResource, issuerOf, scopesOf } from "./resource.ts";
import { countItems } from "./store.ts";
import { createStoredItems } from "./stored-items.ts";

/** How long a client stays let in without the end user. */
export const GRANT_LIFE_MS = 30 * DAY;
const ACCESS_LIFE_MS = 15 * MINUTE;
const CODE_LIFE_MS = MINUTE;

/** Anybody may begin, and each beginning is a row for ten minutes. */
const MOST_REQUESTS = 600;
const requests = serverState(() => new WindowCounts());

/** Throws too_many_request where an environment's authorization server was asked too often in a minute. */
export function admitRequest(ctx: EnvironmentContext): void {
  if (requests.of(ctx).admit(ctx.environment.id, { clock: ctx.clock, most: MOST_REQUESTS })) return;
  const nowMs = ctx.clock.now().getTime();
  throw refuseUntilEnd(
    { window: windowAt(nowMs), nowMs },
    (seconds) => `Too many requests; try again in ${seconds} s.`,
  );
}

/** Documents of clients that are fetched for an environment in a minute, and clients that register themselves. */
const MOST_NEW_CLIENTS = 10;
/** Of one environment; a flood of them ends here, and those that get no token go within a day. */
const MOST_CLIENTS = 10_000;

/** One for each environment that was asked lately. */
const servers = serverState(() => new LRUCache<string, Promise<Provider>>({ max: 200 }));

/** The authorization server of an environment, as its settings have it. */
export async function getAuthorizationServer(ctx: EnvironmentContext): Promise<Provider> {
  const registers = (await findSignIn(ctx.db, ctx.environment.id))?.registration === true;
  const known = servers.of(ctx);
  const key = `${ctx.environment.id} ${registers}`;
  const found = known.get(key);
  if (found !== undefined) return await found;
  // It outlives the request that makes it.
  const lasting = withEnvironment({ ...ctx, signal: stopping.of(ctx).signal }, ctx.environment, {
    kind: "system",
  });
  const made = createServer(lasting, { registers });
  known.set(key, made);
  made.catch(() => known.delete(key));
  return await made;
}

async function createServer(
  ctx: EnvironmentContext,
  { registers }: { registers: boolean },
): Promise<Provider> {
  const library = await loadLibrary();
  const cookieKey = await deriveKey(ctx, {
    environmentId: ctx.environment.id,
    purpose: "agent-oauth-cookies",
  });
  const { InvalidGrant, InvalidTarget } = library.errors;
  const documents = new WindowCounts();
  const configuration: Configuration = {
    adapter: createStoredItems(ctx, () => new InvalidGrant("it was used before")),
    clients: [],
    jwks: { keys: [unusedKey()] },
    scopes: ["tools:read", "tools:write", "tools:destructive", "offline_access"],
    responseTypes: ["code"],
    clientAuthMethods: ["none"],
    clientDefaults: {
      ...{ token_endpoint_auth_method: "none", response_types: ["code"] },
      grant_types: ["authorization_code", "refresh_token"],
      ...{ application_type: "native", id_token_signed_response_alg: "ES256" },
    },
    cookies: {
      keys: [cookieKey.toString("base64url")],
      names: {
        ...{ interaction: "svc-agent-interaction", resume: "svc-agent-resume" },
        session: "svc-agent-session",
      },
      long: { signed: true, httpOnly: true, sameSite: "lax", path: pathOf(ctx) },
      short: { signed: true, httpOnly: true, sameSite: "lax" },
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      registration: {
        enabled: registers,
        initialAccessToken: false,
        issueRegistrationAccessToken: false,
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        allowFetch: () =>
          documents.admit(ctx.environment.id, { clock: ctx.clock, most: MOST_NEW_CLIENTS }),
        cacheDuration: { min: MINUTE / SECOND, max: DAY / SECOND },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => (oneOf === undefined ? "" : (oneOf[0] ?? "")),
        useGrantedResource: () => true,
        async getResourceServerInfo(_ctx, resource) {
          const toolset = await findResource(ctx, resource);
          if (toolset?.settings.authorization?.mode !== "hosted") throw new InvalidTarget();
          return {
            ...{ scope: scopesOf(toolset).join(" "), audience: resource },
            ...{ accessTokenTTL: ACCESS_LIFE_MS / SECOND, accessTokenFormat: "opaque" },
          };
        },
      },
    },
    pkce: { required: () => true },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId);
    },
    interactions: {
      url: (_ctx, { uid }) => `${issuerOf(ctx.settings, ctx.environment.id)}/interaction/${uid}`,
    },
    routes: {
      ...{ authorization: "/authorize", token: "/token", revocation: "/revoke" },
      registration: "/register",
    },
    ttl: {
      AuthorizationCode: CODE_LIFE_MS / SECOND,
      AccessToken: ACCESS_LIFE_MS / SECOND,
      RefreshToken: GRANT_LIFE_MS / SECOND,
      Grant: GRANT_LIFE_MS / SECOND,
      Interaction: (10 * MINUTE) / SECOND,
      Session: HOUR / SECOND,
    },
    clientBasedCORS: () => true,
    fetch: throughEgress(ctx) as Configuration["fetch"],
    renderError: (koa, out) => {
      koa.type = "html";
      koa.set(errorHtml.headers);
      koa.body = errorHtml.write(out.error, out.error_description);
    },
    discovery: {
      ...{ jwks_uri: undefined, subject_types_supported: undefined, claims_supported: undefined },
      ...{ id_token_signing_alg_values_supported: undefined, claim_types_supported: undefined },
    },
  };
  const server = new library.Provider(issuerOf(ctx.settings, ctx.environment.id), configuration);
  // Of what a proxy says of the request, only what we have put in its place.
  server.proxy = true;
  const note = (event: string) => (_koa: unknown, error: Error) => {
    const message = `${event}: ${Object(error).error_detail ?? error.message}`;
    noteRefusal(ctx, { code: "oauth_request_refused", message });
  };
  server.on("authorization.error", note("authorize"));
  server.on("grant.error", note("token"));
  server.on("revocation.error", note("revoke"));
  server.on("registration_create.error", note("register"));
  server.on("server_error", (_koa, error) => {
    ctx.log.error("agents.authorization_failed", { error });
  });
  return server;
}

/** The library wants one for ID tokens, which nobody gets: tokens are opaque, and the scope `openid` is taken out. */
function unusedKey() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" };
}

function pathOf({ settings, environment }: EnvironmentContext): string {
  return new URL(issuerOf(settings, environment.id)).pathname;
}

/** Whether one more client may register itself. */
export async function mayRegister(ctx: EnvironmentContext): Promise<boolean> {
  const count = async (since: Date) =>
    await countItems(ctx.db, ctx.environment.id, { model: "Client", since });
  const minuteAgo = new Date(ctx.clock.now().getTime() - MINUTE);
  return (await count(minuteAgo)) < MOST_NEW_CLIENTS && (await count(new Date(0))) < MOST_CLIENTS;
}

const runtimeWarning = "oidc-provider WARNING: Unsupported runtime";

/** Loaded by who needs it: it has some sixty modules, and names on the console each runtime that is no newest LTS. */
async function loadLibrary(): Promise<typeof OidcProvider> {
  const output = console;
  const { warn } = output;
  const filtered = (...message: unknown[]): void => {
    if (!String(message[0]).includes(runtimeWarning)) warn(...message);
  };
  output.warn = filtered;
  try {
    return await import("oidc-provider");
  } finally {
    if (output.warn === filtered) output.warn = warn;
  }
}
