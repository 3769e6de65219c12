import { literalTemplate, renderTemplate } from "@jackfield/catalogue";
import { findBaseUrl } from "../apply/find-base-url.ts";
import { toTemplateValues } from "../apply/template-values.ts";
import { renderFields } from "../apply/write-call.ts";
import type {
  AuthMode,
  AuthorizationStart,
  AuthTools,
  ClientOverride,
  SubjectOf,
} from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { buildUrl, toAuthorizationUrl } from "../obtain/authorization-url.ts";
import { type CodeFlow, finishCodeFlow, refreshCodeFlow } from "../obtain/code-flow.ts";
import { requireClient } from "../obtain/oauth-client.ts";
import { pushAuthorization } from "../obtain/push-authorization.ts";
import { registerClient, requireMetadataUrl } from "../obtain/register-client.ts";
import { declaresRevocation, revokeToken } from "../obtain/revoke-token.ts";
import { findText, readOverride, refuseImport } from "../read-credentials.ts";

/** OAuth 2 of an MCP server: the client is the integration's, registered on the way, or a document. */
export const mcpOauth2: AuthMode = defineAuthMode("MCP_OAUTH2", {
  fields: {},
  clientFields: {
    client_id: { title: "Client ID", optional: true },
    client_secret: { title: "Client secret", secret: true, optional: true },
    scopes: { title: "Scopes", optional: true },
  },
  secrets: ["access_token", "refresh_token", "client_secret", "id_token"],

  accept: refuseImport,

  async startAuthorization(subject, start, tools) {
    const client = await findOwnClient(subject, start, tools);
    const own = client === undefined ? subject : { ...subject, clientOverride: client };
    const flow = toFlow(own, client);
    const location = await toAuthorizationUrl(own, flow, requireClient(own), start);
    const { client_id: id, client_secret: secret } = client ?? {};
    const remember = {
      ...(id ? { client_id: id } : {}),
      ...(secret ? { client_secret: secret } : {}),
    };
    return {
      location: await pushAuthorization(own, flow, requireClient(own), location, tools),
      remember,
    };
  },

  async finishAuthorization(subject, finish, tools) {
    const keep = readRemembered(finish.remembered) ?? subject.clientOverride;
    const own = { ...subject, clientOverride: keep };
    const use = { client: requireClient(own), keep };
    return await finishCodeFlow(own, toFlow(own, keep), use, finish, tools);
  },

  async refresh(subject, credentials, tools) {
    const keep = readOverride(credentials);
    const use = { client: requireClient(subject, credentials), keep };
    return await refreshCodeFlow(subject, toFlow(subject, keep), use, credentials, tools);
  },

  canRevoke: declaresRevocation,

  async revoke(subject, credentials, tools) {
    const token = findText(credentials, "refresh_token") ?? findText(credentials, "access_token");
    const client = requireClient(subject, credentials);
    const flow = toFlow(subject, readOverride(credentials));
    await revokeToken(
      subject,
      { ...subject.provider, ...flow },
      client,
      { credentials, token },
      tools,
    );
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "access_token") ?? ""}`);
  },
});

/** A client that is not the integration's; undefined where that is to be used. */
async function findOwnClient(
  subject: SubjectOf<"MCP_OAUTH2">,
  start: AuthorizationStart,
  tools: AuthTools,
): Promise<ClientOverride | undefined> {
  const provider = subject.provider;
  if (subject.clientOverride?.client_id) return subject.clientOverride;
  if (subject.integrationCredentials?.client_id) return undefined;
  if (provider.client_registration === "cimd") {
    return { client_id: requireMetadataUrl(start.clientMetadataUrl) };
  }
  const { registration_url: url } = provider;
  if (url === undefined) return undefined;
  const values = toTemplateValues(subject);
  const { client_id, client_secret } = await registerClient(
    {
      url: buildUrl(() => renderTemplate(url, values)),
      redirectUri: start.redirectUri,
      tokenAuthMethod: buildUrl(() => renderTemplate(provider.token_auth_method, values)),
      metadata: renderFields(provider.registration_params, values),
    },
    tools,
  );
  return { client_id, client_secret };
}

function readRemembered(
  remembered: Readonly<Record<string, string>> | undefined,
): ClientOverride | undefined {
  if (!remembered?.["client_id"]) return undefined;
  return { client_id: remembered["client_id"], client_secret: remembered["client_secret"] };
}

/** The entry's flow, with the server named as `resource` (RFC 8707) and no secret of a public client. */
function toFlow(subject: SubjectOf<"MCP_OAUTH2">, client: ClientOverride | undefined): CodeFlow {
  const provider = subject.provider;
  const resource = provider.resource ? findBaseUrl(subject) : undefined;
  const named = resource === undefined ? {} : { resource: literalTemplate(resource) };
  const isPublic = client !== undefined && !client.client_secret;
  return {
    ...provider,
    authorization_params: { ...named, ...provider.authorization_params },
    token_params: { ...named, ...provider.token_params },
    refresh_params: { ...named, ...provider.refresh_params },
    ...(isPublic ? { token_auth_method: literalTemplate("none") } : {}),
  };
}
