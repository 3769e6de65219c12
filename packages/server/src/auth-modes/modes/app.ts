import { renderFirst } from "@jackfield/catalogue";
import { toTemplateValues } from "../apply/template-values.ts";
import type { AuthMode } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { readFlatInstallation } from "../flat-import.ts";
import { failedAs } from "../observe/provider-failure.ts";
import { buildUrl } from "../obtain/authorization-url.ts";
import { toFailedAuthorization } from "../obtain/code-flow.ts";
import { mintInstallationToken, requireAppId } from "../obtain/installation-token.ts";
import { findText, requireText, requireType } from "../read-credentials.ts";

/** An app that is installed at the provider and signs for tokens of its installation. */
export const app: AuthMode = defineAuthMode("APP", {
  fields: { app_id: { title: "App ID" }, installation_id: { title: "Installation ID" } },
  clientFields: {
    app_id: { title: "App ID" },
    app_link: { title: "Public link of the app" },
    private_key: { title: "Private key", secret: true },
  },
  secrets: ["access_token", "token", "jwtToken"],

  fromFlat: readFlatInstallation,

  async accept(subject, given, tools) {
    requireType(given, "APP");
    const installation = {
      appId: requireText(given, "app_id"),
      installationId: requireText(given, "installation_id"),
    };
    return await mintInstallationToken(subject, subject.provider, installation, tools);
  },

  async startAuthorization(subject, { state }) {
    const { app_link } = subject.integrationCredentials ?? {};
    const location = buildUrl(() => {
      const values = { ...toTemplateValues(subject), client: { app_link } };
      const url = new URL(renderFirst(subject.provider.authorization_url, values) ?? "");
      url.searchParams.set("state", state);
      return url.href;
    });
    return { location, remember: {} };
  },

  async finishAuthorization(subject, { query }, tools) {
    const { display_name: name } = subject.provider;
    if (query["setup_action"] === "request") {
      const message = `The installation waits for an owner at ${name} to approve it; connect again then.`;
      throw failedAs("invalid_callback", message);
    }
    const installationId = query["installation_id"];
    if (!installationId) {
      const message = `${name} sent the browser back without an installation.`;
      throw failedAs("invalid_callback", message);
    }
    const installation = { appId: requireAppId(subject), installationId };
    return await mintInstallationToken(subject, subject.provider, installation, tools).catch(
      (error: unknown) => {
        throw toFailedAuthorization(subject, error);
      },
    );
  },

  async refresh(subject, _credentials, tools) {
    const { installation_id: installationId = "", app_id: appId } = subject.connectionConfig;
    const installation = { appId: requireAppId(subject, appId), installationId };
    return await mintInstallationToken(subject, subject.provider, installation, tools);
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "access_token") ?? ""}`);
  },
});
