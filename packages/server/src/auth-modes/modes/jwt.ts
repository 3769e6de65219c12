import { addMs } from "#foundation";
import type { AuthMode, Credentials, Minted, SubjectOf } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { signEntryToken } from "../proof/sign-entry-token.ts";
import { findText, readEntryFields, refuseUnknown, requireType } from "../read-credentials.ts";
import { mintVerified, providerTime } from "../verify-credentials.ts";

/** A token that is signed here with the connection's own key (RFC 7519). */
export const jwt: AuthMode = defineAuthMode("JWT", {
  fields: {},
  secrets: ["token"],

  async accept(subject, given, tools) {
    requireType(given, "JWT");
    refuseUnknown(subject, given, []);
    const fields = readEntryFields(subject, given, []);
    return await mintVerified(
      jwt,
      subject,
      async (now) => await mint(subject, fields, tools.now, now),
      tools,
    );
  },

  async refresh(subject, credentials, tools) {
    const fields = readKept(subject, credentials);
    return await mint(subject, fields, tools.now, providerTime(subject, tools));
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "token") ?? ""}`);
  },
});

function readKept(subject: SubjectOf<"JWT">, credentials: Credentials): Record<string, string> {
  const names = Object.keys(subject.provider.credentials);
  return Object.fromEntries(names.map((name) => [name, findText(credentials, name) ?? ""]));
}

async function mint(
  subject: SubjectOf<"JWT">,
  fields: Record<string, string>,
  now: Date,
  signedAt: Date,
): Promise<Minted> {
  const { provider } = subject;
  const given = { type: "JWT", ...fields };
  const { token, expiresAt: end } = await signEntryToken(
    subject,
    provider.signed_token,
    given,
    signedAt,
  );
  const expiresAt = addMs(end, now.getTime() - signedAt.getTime());
  return {
    credentials: { type: "JWT", ...fields, token, expires_at: expiresAt.toISOString() },
    expiresAt,
    issuedAt: now,
    capturedConfig: {},
  };
}
