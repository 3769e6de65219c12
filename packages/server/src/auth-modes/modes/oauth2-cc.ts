import assert from "node:assert";
import { type ProviderOf, renderOptional, renderTemplate } from "@jackfield/catalogue";
import { AppError } from "#platform";
import type { AuthMode, AuthSubject, AuthTools, Credentials, Minted } from "../auth-mode.ts";
import { captureAnswer } from "../code-flow.ts";
import type { OAuthClient } from "../oauth-client.ts";
import {
  findText,
  readExpiresAt,
  requireText,
  requireType,
  toTestFailure,
} from "../read-credentials.ts";
import { requestToken } from "../request-token.ts";
import { revokeToken } from "../revoke-token.ts";
import { toTemplateValues } from "../template-values.ts";

/** Client credentials (RFC 6749 section 4.4): the connection holds the client, tokens are minted with it. */
export const oauth2ClientCredentials: AuthMode = {
  id: "OAUTH2_CC",
  fields: {
    client_id: { title: "Client ID" },
    client_secret: { title: "Client secret", secret: true },
  },
  secrets: ["client_secret", "client_private_key", "token", "access_token"],

  /** A token that the caller holds is taken as it is; without one the first is minted. */
  async accept(subject, given, tools) {
    requireType(given, "OAUTH2_CC");
    const client = requireOwnClient(subject, given);
    const token = findText(given, "token");
    if (token === undefined) return await mint(subject, client, tools).catch(toTestFailure);
    const expiresAt = readExpiresAt(given);
    const credentials = toCredentials(client, token, expiresAt, { access_token: token });
    return { credentials, expiresAt, capturedConfig: {} };
  },

  async refresh(subject, credentials, tools) {
    return await mint(subject, readClient(credentials), tools);
  },

  async revoke(subject, credentials, tools) {
    const token = findText(credentials, "token");
    const client = readClient(credentials);
    await revokeToken(subject, narrow(subject), client, { credentials, token }, tools);
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "token") ?? ""}`);
  },
};

function narrow({ provider }: AuthSubject): ProviderOf<"OAUTH2_CC"> {
  assert(provider.auth_mode === "OAUTH2_CC");
  return provider;
}

/** A secret, a private key, or what the entry asks for instead. */
function requireOwnClient({ provider }: AuthSubject, given: Credentials): OAuthClient {
  requireText(given, "client_id");
  const client = readClient(given);
  if (client.secret !== "" || client.privateKey !== undefined) return client;
  if (provider.credentials["client_secret"]?.optional === true) return client;
  const message = "Send the credentials' `client_secret` or `client_private_key`.";
  throw new AppError("invalid_body", message, {
    details: [{ code: "custom", message, path: ["credentials", "client_secret"] }],
  });
}

function readClient(credentials: Credentials): OAuthClient {
  return {
    id: findText(credentials, "client_id") ?? "",
    secret: findText(credentials, "client_secret") ?? "",
    privateKey: findText(credentials, "client_private_key"),
    certificate: findText(credentials, "client_certificate"),
  };
}

async function mint(subject: AuthSubject, client: OAuthClient, tools: AuthTools): Promise<Minted> {
  const provider = narrow(subject);
  const scope = findScope(subject, provider);
  const granted = await requestToken(
    subject,
    {
      url: provider.token_url,
      method: provider.token_method,
      format: provider.body_format,
      xmlRoot: provider.xml_root,
      authMethod: provider.token_auth_method,
      assertion: provider.client_assertion,
      client,
      grant: { grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) },
      params: provider.token_params,
      headers: provider.token_headers,
      rename: provider.token_rename,
      response: provider.token_response,
      errors: provider.token_errors,
      exchange: provider.exchange,
      credentials: { client_id: client.id, client_secret: client.secret },
    },
    tools,
  );
  const { accessToken, expiresAt, raw } = granted;
  return {
    credentials: toCredentials(client, accessToken, expiresAt, raw),
    expiresAt,
    issuedAt: tools.now,
    capturedConfig: captureAnswer(provider.capture.token, granted),
  };
}

function findScope(subject: AuthSubject, provider: ProviderOf<"OAUTH2_CC">): string | undefined {
  if (provider.scopes === undefined) return undefined;
  const values = toTemplateValues(subject);
  const scopes = renderOptional(provider.scopes, values);
  return scopes?.split(",").join(renderTemplate(provider.scope_separator, values));
}

function toCredentials(
  client: OAuthClient,
  token: string,
  expiresAt: Date | undefined,
  raw: Readonly<Record<string, unknown>>,
): Credentials {
  return {
    type: "OAUTH2_CC",
    client_id: client.id,
    client_secret: client.secret,
    ...(client.certificate === undefined ? {} : { client_certificate: client.certificate }),
    ...(client.privateKey === undefined ? {} : { client_private_key: client.privateKey }),
    token,
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
    raw,
  };
}
