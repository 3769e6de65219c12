import { type ProviderOf, renderOptional, renderTemplate } from "@jackfield/catalogue";
import { AppError } from "#foundation";
import { toTemplateValues } from "../apply/template-values.ts";
import type { AuthMode, AuthTools, Credentials, Minted, SubjectOf } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { readFlatExpiry, refuseMissing } from "../flat-import.ts";
import { captureAnswer } from "../obtain/code-flow.ts";
import type { OAuthClient } from "../obtain/oauth-client.ts";
import { requestToken } from "../obtain/request-token.ts";
import { declaresRevocation, revokeToken } from "../obtain/revoke-token.ts";
import {
  findProofKey,
  findText,
  readEntryFields,
  readExpiresAt,
  refuseUnknown,
  requireText,
  requireType,
} from "../read-credentials.ts";

/** Client credentials (RFC 6749 section 4.4): the connection holds the client, tokens are minted with it. */
export const oauth2ClientCredentials: AuthMode = defineAuthMode("OAUTH2_CC", {
  fields: {
    client_id: { title: "Client ID" },
    client_secret: { title: "Client secret", secret: true },
  },
  secrets: ["client_secret", "client_private_key", "token", "access_token"],

  fromFlat: (body, now) => ({
    token: body.access_token || refuseMissing("missing_access_token"),
    client_id: body.oauth_client_id_override,
    client_secret: body.oauth_client_secret_override,
    expires_at: readFlatExpiry(body, now),
  }),

  /** A token that the caller holds is taken as it is; without one the first is minted. */
  async accept(subject, given, tools) {
    requireType(given, "OAUTH2_CC");
    refuseUnknown(subject, given, [...ownFields, "token", "expires_at"]);
    const client = requireOwnClient(subject, given);
    const fields = readEntryFields(subject, given, ownFields);
    const token = findText(given, "token");
    if (token === undefined) return await mint(subject, { client, fields }, tools);
    const expiresAt = readExpiresAt(given);
    const answer = { token, expiresAt, raw: { access_token: token } };
    const credentials = toCredentials({ client, fields }, answer);
    return { credentials, expiresAt, capturedConfig: {} };
  },

  async refresh(subject, credentials, tools) {
    const names = Object.keys(subject.provider.credentials);
    const kept = names
      .filter((name) => !ownFields.includes(name))
      .flatMap((name) => {
        const value = findText(credentials, name);
        return value === undefined ? [] : [[name, value]];
      });
    const holder = {
      client: readClient(credentials),
      fields: Object.fromEntries(kept),
      proofKey: findProofKey(credentials),
    };
    return await mint(subject, holder, tools);
  },

  canRevoke: declaresRevocation,

  async revoke(subject, credentials, tools) {
    const token = findText(credentials, "token");
    const client = readClient(credentials);
    await revokeToken(subject, subject.provider, client, { credentials, token }, tools);
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "token") ?? ""}`);
  },
});

const ownFields = ["client_id", "client_secret", "client_private_key", "client_certificate"];

/** The end user's own client, and what else the entry asks for. */
interface Holder {
  readonly client: OAuthClient;
  readonly fields: Readonly<Record<string, string>>;
  readonly proofKey?: string | undefined;
}

/** A secret, a private key, or what the entry asks for instead. */
function requireOwnClient({ provider }: SubjectOf<"OAUTH2_CC">, given: Credentials): OAuthClient {
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

async function mint(
  subject: SubjectOf<"OAUTH2_CC">,
  holder: Holder,
  tools: AuthTools,
): Promise<Minted> {
  const { client, fields, proofKey } = holder;
  const provider = subject.provider;
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
      dpop: provider.dpop,
      proofKey,
      grant: { grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) },
      params: provider.token_params,
      headers: provider.token_headers,
      rename: provider.token_rename,
      response: provider.token_response,
      errors: provider.token_errors,
      exchange: provider.exchange,
      credentials: { ...fields, client_id: client.id, client_secret: client.secret },
    },
    tools,
  );
  const { accessToken, expiresAt, raw, proofKey: boundTo } = granted;
  const bound = boundTo === undefined ? {} : { dpop_key: boundTo };
  const answer = { token: accessToken, expiresAt, raw };
  return {
    credentials: { ...toCredentials(holder, answer), ...bound },
    expiresAt,
    issuedAt: tools.now,
    capturedConfig: captureAnswer(provider.capture.token, granted),
  };
}

function findScope(
  subject: SubjectOf<"OAUTH2_CC">,
  provider: ProviderOf<"OAUTH2_CC">,
): string | undefined {
  if (provider.scopes === undefined) return undefined;
  const values = toTemplateValues(subject);
  const scopes = renderOptional(provider.scopes, values);
  return scopes?.split(",").join(renderTemplate(provider.scope_separator, values));
}

function toCredentials(
  { client, fields }: Holder,
  {
    token,
    expiresAt,
    raw,
  }: { token: string; expiresAt: Date | undefined; raw: Readonly<Record<string, unknown>> },
): Credentials {
  return {
    ...fields,
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
