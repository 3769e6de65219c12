import { renderOptional } from "@jackfield/catalogue";
import { toTemplateValues } from "../apply/template-values.ts";
import type { AuthMode } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { refuseMissing } from "../flat-import.ts";
import { findText, readEntryFields, refuseUnknown, requireType } from "../read-credentials.ts";
import { verifyCredentials } from "../verify-credentials.ts";

/** User name and password as HTTP Basic (RFC 7617, UTF-8). */
export const basic: AuthMode = defineAuthMode("BASIC", {
  fields: {
    username: { title: "User name" },
    password: { title: "Password", secret: true, optional: true },
  },
  secrets: ["password"],
  fromFlat: (body) => ({
    username: body.username ?? refuseMissing("missing_basic_username"),
    password: body.password ?? "",
  }),

  async accept(subject, given, tools) {
    requireType(given, "BASIC");
    refuseUnknown(subject, given, ["username", "password"]);
    // Either may be empty: some providers take a key as the one or the other.
    const credentials = {
      type: "BASIC",
      username: findText(given, "username") ?? "",
      password: findText(given, "password") ?? "",
      ...readEntryFields(subject, given, ["username", "password"]),
    };
    await verifyCredentials(basic, subject, credentials, tools);
    return { credentials, expiresAt: undefined, capturedConfig: {} };
  },
  apply(subject, credentials, request) {
    const { provider } = subject;
    const values = toTemplateValues(subject, credentials);
    const user = renderOptional(provider.basic.username, values) ?? "";
    const password = renderOptional(provider.basic.password, values) ?? "";
    const pair = Buffer.from(`${user}:${password}`).toString("base64");
    request.headers.set("authorization", `Basic ${pair}`);
  },
});
