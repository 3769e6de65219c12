import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type * as OidcProvider from "oidc-provider";
import type { Configuration, default as Provider } from "oidc-provider";
import type { ProviderJournal } from "../journal.ts";
import { renderErrorPage } from "../pages.ts";
import { sendHtml } from "../respond.ts";
import { answerInteraction, type ConsentMode } from "./interactions.ts";
import { createTokenStore } from "./token-store.ts";

export interface AuthorizationServerOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  readonly accessTokenLifetimeSeconds: number;
  readonly consent: ConsentMode;
  readonly journal: ProviderJournal;
}

export interface AuthorizationServer {
  /** Answers a request whose path starts with the issuer's path. */
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The account that an access token speaks for; `undefined` when it is not valid (any more). */
  findTokenAccount(token: string): Promise<string | undefined>;
}

const DAY_SECONDS = 24 * 60 * 60;

const permissionTexts: ReadonlyMap<string, string> = new Map([
  ["contacts.read", "Read your contacts"],
  ["contacts.write", "Add, change and delete your contacts"],
  ["openid", "Know who you are"],
]);

const defaultScope = "contacts.read contacts.write";

/**
 * Starts an OAuth 2 authorization server: authorization code with PKCE (S256) required, rotating
 * refresh tokens whose re-use revokes the grant, client credentials, revocation (RFC 7009).
 */
export async function createAuthorizationServer(
  options: AuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const { Provider, errors } = await loadOidcProvider();
  const newReuseError = (): Error => new errors.InvalidGrant("refresh token already used");
  const provider = new Provider(options.issuer, {
    ...toConfiguration(options),
    adapter: createTokenStore(newReuseError),
  });
  recordGrants(provider, options.journal);

  const mountPath = new URL(options.issuer).pathname;
  const handleProtocolRequest = provider.callback();

  return {
    async handleRequest(request, response) {
      const path = (request.url ?? "").slice(mountPath.length);
      if (!path.startsWith("/interaction/")) {
        // oidc-provider builds its own addresses from what the mount cut off `originalUrl`.
        const url = withDefaultScope(path);
        Object.assign(request, { originalUrl: mountPath + url, url });
        await handleProtocolRequest(request, response);
        if (url === "/revoke" && response.statusCode === 200) options.journal.revocations += 1;
        return;
      }
      try {
        await answerInteraction({ ...options, provider, permissionTexts }, request, response);
      } catch (error) {
        if (!(error instanceof errors.SessionNotFound)) throw error;
        sendHtml(response, 400, renderErrorPage(expiredRequestTexts));
      }
    },
    async findTokenAccount(token) {
      const accessToken = await provider.AccessToken.find(token);
      if (accessToken !== undefined) return accessToken.accountId;
      return (await provider.ClientCredentials.find(token))?.clientId;
    },
  };
}

const expiredRequestTexts = {
  title: "This request has expired",
  message: "Go back to the app that sent you here and connect again.",
};

function toConfiguration(options: AuthorizationServerOptions): Configuration {
  const signingKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  return {
    clients: [
      {
        client_id: options.clientId,
        client_secret: options.clientSecret,
        client_name: "Jackfield",
        redirect_uris: [...options.redirectUris],
        response_types: ["code"],
        grant_types: ["authorization_code", "refresh_token", "client_credentials"],
        id_token_signed_response_alg: "ES256",
      },
    ],
    jwks: { keys: [signingKey.export({ format: "jwk" })] },
    scopes: [...permissionTexts.keys(), "offline_access"],
    routes: { authorization: "/authorize", token: "/token", revocation: "/revoke" },
    cookies: {
      keys: [randomBytes(32).toString("base64url")],
      // Cookies on 127.0.0.1 are shared by all ports, so they carry the provider's name.
      names: {
        session: "harbor_session",
        interaction: "harbor_interaction",
        resume: "harbor_interaction_resume",
      },
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      rpInitiatedLogout: { enabled: false },
    },
    interactions: {
      url: (_ctx, interaction) =>
        `${new URL(options.issuer).pathname}/interaction/${interaction.uid}`,
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    expiresWithSession: () => false,
    // Each authorization gets a grant of its own: revoking one connection leaves the others alone.
    async loadExistingGrant(ctx) {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, email: id }) }),
    clientBasedCORS: () => false,
    clockTolerance: 0,
    renderError(ctx, out) {
      ctx.type = "html";
      ctx.body = renderErrorPage({
        title: "This request cannot continue",
        message: `${out.error}: ${out.error_description ?? "no further description"}`,
      });
    },
    ttl: {
      AccessToken: options.accessTokenLifetimeSeconds,
      ClientCredentials: options.accessTokenLifetimeSeconds,
      AuthorizationCode: 60,
      IdToken: 60 * 60,
      Interaction: 60 * 60,
      Session: DAY_SECONDS,
      Grant: 90 * DAY_SECONDS,
      RefreshToken: 90 * DAY_SECONDS,
    },
  };
}

// RFC 6749, 3.3: a server may process a request without a scope by a default one. A request that
// names only offline_access counts as such, since oidc-provider drops it without prompt=consent.
function withDefaultScope(path: string): string {
  const url = new URL(path, "http://localhost");
  if (url.pathname !== "/authorize") return path;
  const scopes = (url.searchParams.get("scope") ?? "").split(" ");
  if (scopes.some((scope) => permissionTexts.has(scope))) return path;
  url.searchParams.set("scope", [defaultScope, ...scopes].join(" ").trim());
  return url.pathname + url.search;
}

const grantCounters = {
  authorization_code: "codeGrants",
  refresh_token: "refreshGrants",
  client_credentials: "clientCredentialsGrants",
} as const satisfies Record<string, keyof ProviderJournal>;

function recordGrants(provider: Provider, journal: ProviderJournal): void {
  provider.on("grant.success", (ctx) => {
    const grantType = ctx.oidc.params?.["grant_type"];
    for (const [name, counter] of Object.entries(grantCounters)) {
      if (name === grantType) journal[counter] += 1;
    }
  });
  provider.on("grant.error", (_ctx, error) => {
    journal.failedGrants += 1;
    if (/already (used|consumed)/.test(error.error_detail ?? "")) journal.reusedTokens += 1;
  });
}

const runtimeWarning = "oidc-provider WARNING: Unsupported runtime";

/** Imports `oidc-provider` without the runtime warning that it prints on Node lines not yet marked LTS. */
async function loadOidcProvider(): Promise<typeof OidcProvider> {
  // The library warns while it is being imported whenever process.release.lts is unset, which is
  // the case on a current Node; users of a demo would take the line for a fault of theirs.
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
