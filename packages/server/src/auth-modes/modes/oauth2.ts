import type { AuthMode } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { readFlatExpiry, refuseMissing } from "../flat-import.ts";
import { toAuthorizationUrl } from "../obtain/authorization-url.ts";
import { finishCodeFlow, refreshCodeFlow } from "../obtain/code-flow.ts";
import { requireClient, toConfigOverride } from "../obtain/oauth-client.ts";
import { pushAuthorization } from "../obtain/push-authorization.ts";
import { declaresRevocation, revokeToken } from "../obtain/revoke-token.ts";
import {
  findText,
  readExpiresAt,
  readOverride,
  requireText,
  requireType,
} from "../read-credentials.ts";

/** Authorization code with PKCE and refresh tokens (RFC 6749, 7636, 9207). */
export const oauth2: AuthMode = defineAuthMode("OAUTH2", {
  fields: {},
  clientFields: {
    client_id: { title: "Client ID" },
    client_secret: { title: "Client secret", secret: true },
    scopes: { title: "Scopes", optional: true },
    webhook_secret: { title: "Webhook secret", secret: true, optional: true },
    client_private_key: { title: "Private key of the client", secret: true, optional: true },
    client_certificate: { title: "Certificate of the client", optional: true },
  },
  secrets: ["access_token", "refresh_token", "client_secret", "id_token"],
  canReadThrough: true,

  fromFlat: (body, now) => ({
    access_token: body.access_token || refuseMissing("missing_access_token"),
    refresh_token: body.refresh_token,
    expires_at: readFlatExpiry(body, now),
  }),

  async accept(subject, given) {
    requireType(given, "OAUTH2");
    const accessToken = requireText(given, "access_token");
    const refreshToken = findText(given, "refresh_token");
    const expiresAt = readExpiresAt(given);
    const raw = {
      access_token: accessToken,
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
    };
    const keep = readOverride(given) ?? subject.clientOverride;
    const credentials = { type: "OAUTH2", ...raw, ...toConfigOverride(keep), raw };
    const isRenewable = findText(given, subject.provider.refresh_with) !== undefined;
    const reauthorizeBy = isRenewable ? undefined : expiresAt;
    return { credentials, expiresAt, reauthorizeBy, capturedConfig: {} };
  },

  async startAuthorization(subject, start, tools) {
    const flow = subject.provider;
    const client = requireClient(subject);
    const location = await toAuthorizationUrl(subject, flow, client, start);
    return {
      location: await pushAuthorization(subject, flow, client, location, tools),
      remember: {},
    };
  },

  async finishAuthorization(subject, finish, tools) {
    const use = { client: requireClient(subject), keep: subject.clientOverride };
    return await finishCodeFlow(subject, subject.provider, use, finish, tools);
  },

  async refresh(subject, credentials, tools) {
    const use = { client: requireClient(subject, credentials), keep: readOverride(credentials) };
    return await refreshCodeFlow(subject, subject.provider, use, credentials, tools);
  },

  canRevoke: declaresRevocation,

  async revoke(subject, credentials, tools) {
    const token = findText(credentials, "refresh_token") ?? findText(credentials, "access_token");
    const client = requireClient(subject, credentials);
    await revokeToken(subject, subject.provider, client, { credentials, token }, tools);
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "access_token") ?? ""}`);
  },
});
