import assert from "node:assert";
import type { AuthMode, AuthSubject, Credentials, Minted } from "../auth-mode.ts";
import { findText, readEntryFields, refuseUnknown, requireType } from "../read-credentials.ts";
import { signEntryToken } from "../sign-entry-token.ts";
import { verifyCredentials } from "../verify-credentials.ts";

/** A token that is signed here with the connection's own key (RFC 7519). */
export const jwt: AuthMode = {
  id: "JWT",
  fields: {},
  secrets: ["token"],

  async accept(subject, given, tools) {
    requireType(given, "JWT");
    refuseUnknown(subject, given, []);
    const minted = mint(subject, readEntryFields(subject, given, []), tools.now);
    await verifyCredentials(jwt, subject, minted.credentials, tools);
    return minted;
  },

  async refresh(subject, credentials, { now }) {
    return mint(subject, readKept(subject, credentials), now);
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "token") ?? ""}`);
  },
};

function readKept(subject: AuthSubject, credentials: Credentials): Record<string, string> {
  const names = Object.keys(subject.provider.credentials);
  return Object.fromEntries(names.map((name) => [name, findText(credentials, name) ?? ""]));
}

function mint(subject: AuthSubject, fields: Record<string, string>, now: Date): Minted {
  const { provider } = subject;
  assert(provider.auth_mode === "JWT");
  const signed = signEntryToken(subject, provider.signed_token, { type: "JWT", ...fields }, now);
  const { token, expiresAt } = signed;
  return {
    credentials: { type: "JWT", ...fields, token, expires_at: expiresAt.toISOString() },
    expiresAt,
    issuedAt: now,
    capturedConfig: {},
  };
}
