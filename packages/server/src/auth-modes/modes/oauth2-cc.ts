import assert from "node:assert";
import { type ProviderOf, renderOptional, renderTemplate } from "@jackfield/catalogue";
import { AppError } from "#platform";
import {
  type AuthMode,
  type AuthSubject,
  type AuthTools,
  type Minted,
  RefreshFailure,
} from "../auth-mode.ts";
import { findText, readExpiresAt, requireText, requireType } from "../read-credentials.ts";
import { type Client, requestToken } from "../request-token.ts";
import { toTemplateValues } from "../template-values.ts";
import { readExpiry } from "../token-answer.ts";

/** Client credentials (RFC 6749 section 4.4): the connection holds the client, tokens are minted with it. */
export const oauth2ClientCredentials: AuthMode = {
  id: "OAUTH2_CC",

  /** A token that the caller holds is taken as it is; without one the first is minted. */
  async accept(subject, given, tools) {
    requireType(given, "OAUTH2_CC");
    const client = {
      id: requireText(given, "client_id"),
      secret: requireText(given, "client_secret"),
    };
    const token = findText(given, "token");
    if (token !== undefined) {
      return toMinted(client, token, readExpiresAt(given), { access_token: token });
    }
    try {
      return await mint(subject, client, tools);
    } catch (error) {
      if (!(error instanceof RefreshFailure)) throw error;
      throw new AppError("connection_test_failed", error.message, { cause: error });
    }
  },

  async refresh(subject, credentials, tools) {
    const client = {
      id: findText(credentials, "client_id") ?? "",
      secret: findText(credentials, "client_secret") ?? "",
    };
    return await mint(subject, client, tools);
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "token") ?? ""}`);
  },
};

async function mint(subject: AuthSubject, client: Client, tools: AuthTools): Promise<Minted> {
  const { provider } = subject;
  assert(provider.auth_mode === "OAUTH2_CC");
  const scope = findScope(subject, provider);
  const grant = {
    grant_type: "client_credentials",
    ...(scope === undefined ? {} : { scope }),
  };
  const { token_url: url, token_params: params } = provider;
  const answer = await requestToken(subject, { provider, url, params, grant, client }, tools);
  const token = String(answer["access_token"]);
  return toMinted(client, token, readExpiry(answer, tools.now), answer);
}

function findScope(subject: AuthSubject, provider: ProviderOf<"OAUTH2_CC">): string | undefined {
  if (provider.scopes === undefined) return undefined;
  const values = toTemplateValues(subject);
  const scopes = renderOptional(provider.scopes, values);
  return scopes?.split(",").join(renderTemplate(provider.scope_separator, values));
}

function toMinted(
  client: Client,
  token: string,
  expiresAt: Date | undefined,
  raw: Record<string, unknown>,
): Minted {
  return {
    credentials: {
      type: "OAUTH2_CC",
      client_id: client.id,
      client_secret: client.secret,
      token,
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
      raw,
    },
    expiresAt,
    capturedConfig: {},
  };
}
