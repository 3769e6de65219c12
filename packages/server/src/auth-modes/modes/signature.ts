import { createHash, randomBytes } from "node:crypto";
import { addMs, SECOND } from "#foundation";
import type { AuthMode, Minted, SubjectOf } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { findText, requireText, requireType } from "../read-credentials.ts";
import { mintVerified, providerTime } from "../verify-credentials.ts";

/** WSSE UsernameToken: a digest of nonce, time and password instead of the password. */
export const signature: AuthMode = defineAuthMode("SIGNATURE", {
  fields: {
    username: { title: "User name" },
    password: { title: "Secret", secret: true },
  },
  secrets: ["password", "token"],

  async accept(subject, given, tools) {
    requireType(given, "SIGNATURE");
    const user = {
      username: requireText(given, "username"),
      password: requireText(given, "password"),
    };
    return await mintVerified(
      signature,
      subject,
      async (at) => mint(subject, user, tools.now, at),
      tools,
    );
  },

  async refresh(subject, credentials, tools) {
    const username = findText(credentials, "username") ?? "";
    const user = { username, password: findText(credentials, "password") ?? "" };
    return mint(subject, user, tools.now, providerTime(subject, tools));
  },

  apply(_subject, credentials, request) {
    request.headers.set("x-wsse", findText(credentials, "token") ?? "");
  },
});

function mint(
  { provider }: SubjectOf<"SIGNATURE">,
  { username, password }: { username: string; password: string },
  now: Date,
  signedAt: Date,
): Minted {
  const { digest: form, lifetime_s: lifeSeconds } = provider.signature;
  const nonce = randomBytes(16).toString("hex");
  const created = signedAt.toISOString().replace(/\.\d{3}/, "");
  const hash = createHash("sha1").update(nonce + created + password);
  const digest = form === "raw" ? hash.digest("base64") : btoa(hash.digest("hex"));
  const sentNonce = form === "raw" ? btoa(nonce) : nonce;
  const quoted = username.replaceAll('"', "");
  const token = `UsernameToken Username="${quoted}", PasswordDigest="${digest}", Nonce="${sentNonce}", Created="${created}"`;
  const expiresAt = addMs(now, lifeSeconds * SECOND);
  return {
    credentials: {
      type: "SIGNATURE",
      username,
      password,
      token,
      expires_at: expiresAt.toISOString(),
    },
    expiresAt,
    issuedAt: now,
    capturedConfig: {},
  };
}
