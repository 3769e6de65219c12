import type { AuthMode } from "../auth-mode.ts";
import { findText, requireText, requireType } from "../read-credentials.ts";
import { verifyCredentials } from "../verify-credentials.ts";

/** User name and password as HTTP Basic (RFC 7617, UTF-8). */
export const basic: AuthMode = {
  id: "BASIC",
  async accept(subject, given, tools) {
    requireType(given, "BASIC");
    const username = requireText(given, "username");
    const credentials = { type: "BASIC", username, password: findText(given, "password") ?? "" };
    await verifyCredentials(basic, subject, credentials, tools);
    return { credentials, expiresAt: undefined, capturedConfig: {} };
  },
  apply(_subject, credentials, request) {
    const pair = `${findText(credentials, "username") ?? ""}:${findText(credentials, "password") ?? ""}`;
    request.headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  },
};
