import { renderTemplate } from "@jackfield/catalogue";
import { toTemplateValues } from "../apply/template-values.ts";
import type { AuthMode } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { failedAs } from "../observe/provider-failure.ts";
import { buildUrl } from "../obtain/authorization-url.ts";
import { refuseError } from "../obtain/check-callback.ts";
import { findText, refuseImport } from "../read-credentials.ts";

/** A plugin that is installed at the provider and comes back with a user and a password for it. */
export const installPlugin: AuthMode = defineAuthMode("INSTALL_PLUGIN", {
  fields: {},
  secrets: ["password"],

  accept: refuseImport,

  async startAuthorization(subject, { state, redirectUri }) {
    const { install_url: template, callback } = subject.provider;
    const location = buildUrl(() => {
      const url = new URL(renderTemplate(template, toTemplateValues(subject)));
      const back = new URL(redirectUri);
      const target = callback.redirect === undefined ? url : back;
      target.searchParams.set(callback.state, state);
      if (callback.redirect !== undefined) url.searchParams.set(callback.redirect, back.href);
      return url.href;
    });
    return { location, remember: {} };
  },

  async finishAuthorization(subject, { query }) {
    const { callback, display_name: name } = subject.provider;
    refuseError(name, query[callback.error]);
    const { [callback.username]: username, [callback.password]: password } = query;
    if (!username || !password) {
      const message = `The plugin of ${name} came back without a user and a password.`;
      throw failedAs("invalid_callback", message);
    }
    const credentials = { type: "BASIC", username, password };
    return { credentials, expiresAt: undefined, capturedConfig: {} };
  },

  apply(_subject, credentials, request) {
    const user = findText(credentials, "username") ?? "";
    const pair = `${user}:${findText(credentials, "password") ?? ""}`;
    request.headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  },
});
