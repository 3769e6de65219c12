import { literalTemplate, renderTemplate } from "@jackfield/catalogue";
import { toTemplateValues } from "../apply/template-values.ts";
import type {
  AuthMode,
  AuthorizationStart,
  AuthTools,
  Credentials,
  SubjectOf,
} from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { failedAs, ProviderFailure } from "../observe/provider-failure.ts";
import { buildUrl, toAuthorizationUrl } from "../obtain/authorization-url.ts";
import { type CodeFlow, finishCodeFlow, refreshCodeFlow } from "../obtain/code-flow.ts";
import { type DiscoveredServer, discoverMcpServer } from "../obtain/discover-mcp-server.ts";
import { requireClient } from "../obtain/oauth-client.ts";
import { type RegisteredClient, registerClient } from "../obtain/register-client.ts";
import { revokeToken } from "../obtain/revoke-token.ts";
import { findText, readOverride, refuseImport } from "../read-credentials.ts";

/** OAuth 2 of any MCP server, whose authorization server is found and registered with on the way. */
export const mcpOauth2Generic: AuthMode = defineAuthMode("MCP_OAUTH2_GENERIC", {
  fields: {},
  secrets: ["access_token", "refresh_token", "client_secret", "id_token"],

  accept: refuseImport,

  async startAuthorization(subject, start, tools) {
    const resource = toServerUrl(subject);
    const server = await discoverMcpServer(resource, tools);
    const client = await findClientFor(server, subject, start, tools);
    const own = { ...subject, clientOverride: client };
    const place = { ...toPlace(server, client), resource };
    const flow = {
      ...toFlow(subject, place),
      authorization_url: [literalTemplate(server.authorizationUrl)],
      required_scopes: start.scopesOverride === undefined ? [...server.scopes] : [],
    };
    const location = await toAuthorizationUrl(own, flow, requireClient(own), start);
    return { location, remember: { ...place, ...toTexts(client) } };
  },

  async finishAuthorization(subject, finish, tools) {
    const { remembered = {} } = finish;
    const { client_id, client_secret } = remembered;
    const place = readPlace(remembered);
    if (!client_id || place === undefined) {
      throw failedAs("invalid_callback", "This authorization was not begun here.");
    }
    const keep = { client_id, client_secret };
    const own = { ...subject, clientOverride: keep };
    const use = { client: requireClient(own), keep };
    const minted = await finishCodeFlow(own, toFlow(subject, place), use, finish, tools);
    const credentials = { ...minted.credentials, authorization_server: place };
    return { ...minted, credentials };
  },

  async refresh(subject, credentials, tools) {
    const place = readPlace(credentials["authorization_server"]);
    if (place === undefined) {
      const message =
        "Nothing is known of the authorization server; authorize the connection again.";
      throw new ProviderFailure("revoked", message);
    }
    const use = { client: requireClient(subject, credentials), keep: readOverride(credentials) };
    const minted = await refreshCodeFlow(subject, toFlow(subject, place), use, credentials, tools);
    return { ...minted, credentials: { ...minted.credentials, authorization_server: place } };
  },

  canRevoke: (_subject, credentials) =>
    Boolean(readPlace(credentials["authorization_server"])?.revocation_url),

  async revoke(subject, credentials, tools) {
    const place = readPlace(credentials["authorization_server"]);
    if (!place?.revocation_url) return;
    const token = findText(credentials, "refresh_token") ?? findText(credentials, "access_token");
    const rules = {
      ...toFlow(subject, place),
      revocation: {
        url: literalTemplate(place.revocation_url),
        method: "POST",
        body_format: "form",
        params: {},
        headers: {},
        client_auth: true,
        ends_grant: false,
      },
    } as const;
    const client = requireClient(subject, credentials);
    await revokeToken(subject, rules, client, { credentials, token }, tools);
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "access_token") ?? ""}`);
  },
});

/** What was discovered and is needed again; kept with the credentials, where no caller can change it. */
interface Place {
  readonly token_url: string;
  readonly token_auth_method: string;
  readonly resource: string;
  /** Empty where the server does not name itself in callbacks. */
  readonly issuer: string;
  /** Empty where the server withdraws no tokens. */
  readonly revocation_url: string;
}

function toServerUrl(subject: SubjectOf<"MCP_OAUTH2_GENERIC">): string {
  return buildUrl(() => renderTemplate(subject.provider.server_url, toTemplateValues(subject)));
}

async function findClientFor(
  server: DiscoveredServer,
  subject: SubjectOf<"MCP_OAUTH2_GENERIC">,
  start: AuthorizationStart,
  tools: AuthTools,
): Promise<RegisteredClient> {
  const { client_id: id, client_secret: secret } = subject.clientOverride ?? {};
  if (id) {
    const method = secret ? chooseMethod(server, { isPublic: false }) : "none";
    return {
      client_id: id,
      ...(secret ? { client_secret: secret } : {}),
      token_auth_method: method,
    };
  }
  if (server.takesMetadataDocument && start.clientMetadataUrl?.startsWith("https://") === true) {
    return { client_id: start.clientMetadataUrl, token_auth_method: "none" };
  }
  if (server.registrationUrl === undefined) {
    throw failedAs(
      "token_err",
      `${server.issuer} registers no clients by itself: connect with the id of a client of your own.`,
    );
  }
  const registration = {
    url: server.registrationUrl,
    redirectUri: start.redirectUri,
    tokenAuthMethod: chooseMethod(server, { isPublic: true }),
    metadata: {},
  };
  return await registerClient(registration, tools);
}

/** What the server takes; without a word of it, HTTP Basic (RFC 8414 section 2). */
function chooseMethod(
  { tokenAuthMethods: taken }: DiscoveredServer,
  { isPublic }: { isPublic: boolean },
): string {
  const wanted = [...(isPublic ? ["none"] : []), "client_secret_post", "client_secret_basic"];
  return wanted.find((method) => taken.includes(method)) ?? "client_secret_basic";
}

function toPlace(server: DiscoveredServer, client: RegisteredClient): Omit<Place, "resource"> {
  return {
    token_url: server.tokenUrl,
    token_auth_method: client.client_secret === undefined ? "none" : client.token_auth_method,
    issuer: server.sendsIssuer ? server.issuer : "",
    revocation_url: server.revocationUrl ?? "",
  };
}

function toTexts({ client_id, client_secret }: RegisteredClient): Record<string, string> {
  return { client_id, ...(client_secret === undefined ? {} : { client_secret }) };
}

function readPlace(value: unknown): Place | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const known: Credentials = { type: "", ...value };
  const [token_url, token_auth_method, resource] = [
    findText(known, "token_url"),
    findText(known, "token_auth_method"),
    findText(known, "resource"),
  ];
  if (!token_url || !token_auth_method || !resource) return undefined;
  const [issuer = "", revocation_url = ""] = [
    findText(known, "issuer"),
    findText(known, "revocation_url"),
  ];
  return { token_url, token_auth_method, resource, issuer, revocation_url };
}

function toFlow(subject: SubjectOf<"MCP_OAUTH2_GENERIC">, place: Place): CodeFlow {
  const provider = subject.provider;
  const resource = literalTemplate(place.resource);
  return {
    ...provider,
    token_url: [literalTemplate(place.token_url)],
    token_auth_method: literalTemplate(place.token_auth_method),
    authorization_params: { resource, ...provider.authorization_params },
    token_params: { resource, ...provider.token_params },
    refresh_params: { resource, ...provider.refresh_params },
    ...(place.issuer === "" ? {} : { issuer: literalTemplate(place.issuer) }),
  };
}
