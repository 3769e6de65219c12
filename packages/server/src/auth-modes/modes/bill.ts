import { renderTemplate } from "@jackfield/catalogue";
import { addMs, SECOND } from "#foundation";
import { toTemplateValues } from "../apply/template-values.ts";
import { writeCall } from "../apply/write-call.ts";
import type { AuthMode, AuthTools, Credentials, Minted, SubjectOf } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { build, sendCall } from "../obtain/request-token.ts";
import { parseTokenAnswer } from "../obtain/token-answer.ts";
import { toRefreshFailure } from "../obtain/token-failure.ts";
import { findText, requireText, requireType } from "../read-credentials.ts";

/** A login with user, organization and developer key that ends with a session. */
export const bill: AuthMode = defineAuthMode("BILL", {
  fields: {
    username: { title: "User name" },
    password: { title: "Password", secret: true },
    organization_id: { title: "Organization ID" },
    dev_key: { title: "Developer key", secret: true },
  },
  secrets: ["password", "dev_key", "session_id", "sessionId"],

  async accept(subject, given, tools) {
    requireType(given, "BILL");
    for (const name of loginFields) requireText(given, name);
    return await login(subject, given, tools);
  },

  async refresh(subject, credentials, tools) {
    return await login(subject, credentials, tools);
  },

  apply(_subject, credentials, request) {
    request.headers.set("devkey", findText(credentials, "dev_key") ?? "");
    request.headers.set("sessionid", findText(credentials, "session_id") ?? "");
  },
});

const loginFields = ["username", "password", "organization_id", "dev_key"] as const;

async function login(
  subject: SubjectOf<"BILL">,
  given: Credentials,
  tools: AuthTools,
): Promise<Minted> {
  const provider = subject.provider;
  const [username = "", password = "", organizationId = "", devKey = ""] = loginFields.map(
    (name) => findText(given, name) ?? "",
  );
  const call = build(() =>
    writeCall({
      method: "POST",
      url: renderTemplate(provider.token_url, toTemplateValues(subject)),
      format: "json",
      headers: {},
      fields: { username, password, organizationId, devKey },
    }),
  );
  const response = await sendCall(call, tools);
  const answer = parseTokenAnswer(response.body);
  const { sessionId, userId } = { sessionId: answer?.["sessionId"], userId: answer?.["userId"] };
  if (response.status >= 300 || typeof sessionId !== "string" || sessionId === "") {
    const hints = { shape: { error: ["error", "0.code"] }, errors: provider.token_errors };
    throw toRefreshFailure(response, answer, tools.now, hints);
  }
  const expiresAt = addMs(tools.now, provider.lifetime_s * SECOND);
  return {
    credentials: {
      type: "BILL",
      username,
      password,
      organization_id: organizationId,
      dev_key: devKey,
      session_id: sessionId,
      user_id: typeof userId === "string" ? userId : "",
      expires_at: expiresAt.toISOString(),
      raw: answer ?? {},
    },
    expiresAt,
    issuedAt: tools.now,
    capturedConfig: {},
  };
}
