import { renderOptional } from "@jackfield/catalogue";
import { AppError } from "#foundation";
import { toTemplateValues } from "../apply/template-values.ts";
import type { AuthMode } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { refuseMissing } from "../flat-import.ts";
import { requireClient, toConfigOverride } from "../obtain/oauth-client.ts";
import { isForm, readForm } from "../obtain/read-form.ts";
import { signOAuth1 } from "../proof/oauth1-signature.ts";
import { findText, readOverride, requireText, requireType } from "../read-credentials.ts";
import { verifyCredentials } from "../verify-credentials.ts";

/** Token-based authentication: OAuth 1 signatures with a token made in the provider's own pages. */
export const tba: AuthMode = defineAuthMode("TBA", {
  fields: {
    token_id: { title: "Token ID" },
    token_secret: { title: "Token secret", secret: true },
  },
  clientFields: {
    client_id: { title: "Consumer key" },
    client_secret: { title: "Consumer secret", secret: true },
    scopes: { title: "Scopes", optional: true },
    webhook_secret: { title: "Webhook secret", secret: true, optional: true },
  },
  secrets: ["token_id", "token_secret", "client_secret"],
  signsWithClient: true,

  fromFlat: (body) => {
    if (!body.connection_config?.["accountId"]) refuseMissing("missing_account_id");
    return { token_id: body.token_id, token_secret: body.token_secret };
  },

  async accept(subject, given, tools) {
    requireType(given, "TBA");
    for (const [name, field] of Object.entries(subject.provider.connection_config)) {
      if (!field.optional && !field.automated) requireConfig(subject.connectionConfig, name);
    }
    const keep = readOverride(given) ?? subject.clientOverride;
    const credentials = {
      type: "TBA",
      token_id: requireText(given, "token_id"),
      token_secret: requireText(given, "token_secret"),
      ...toConfigOverride(keep),
    };
    await verifyCredentials(tba, subject, credentials, tools);
    return { credentials, expiresAt: undefined, capturedConfig: {} };
  },

  apply() {},

  readsBody: (_subject, { contentType }) => isForm(contentType),

  sign(subject, credentials, request) {
    const { provider } = subject;
    const client = requireClient(subject, credentials);
    const header = signOAuth1({
      method: request.method,
      url: request.url,
      form: readForm(request),
      signatureMethod: provider.signature_method,
      consumerKey: client.id,
      consumerSecret: client.secret,
      token: findText(credentials, "token_id"),
      tokenSecret: findText(credentials, "token_secret"),
      realm: provider.realm && renderOptional(provider.realm, toTemplateValues(subject)),
      now: request.now,
    });
    return new Map([["authorization", header]]);
  },
});

function requireConfig(config: Readonly<Record<string, string>>, name: string): void {
  if (config[name]) return;
  const message = `Send connection_config.${name}.`;
  throw new AppError("invalid_body", message, {
    details: [{ code: "custom", message, path: ["connection_config", name] }],
  });
}
