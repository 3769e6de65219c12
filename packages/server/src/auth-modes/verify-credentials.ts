import { renderOptional, renderTemplate } from "@jackfield/catalogue";
import { AppError } from "#platform";
import type { AuthMode, AuthSubject, AuthTools, Credentials } from "./auth-mode.ts";
import { callAsConnection } from "./call-as-connection.ts";
import { findBaseUrl } from "./find-base-url.ts";
import { toTemplateValues } from "./template-values.ts";
import { renderFields, renderHeaders } from "./write-call.ts";

/** Calls what the entry names as its verification; throws connection_test_failed unless one answers 2xx. */
export async function verifyCredentials(
  mode: AuthMode,
  subject: AuthSubject,
  credentials: Credentials,
  tools: AuthTools,
): Promise<void> {
  const { verification, display_name: name } = subject.provider;
  if (verification === undefined) return;
  const values = { ...toTemplateValues(subject, credentials), now: tools.now };
  const own = verification.base_url && renderOptional(verification.base_url, values);
  const baseUrl = own ?? findBaseUrl(subject);
  if (baseUrl === undefined) return;
  const { method, headers, body } = verification;
  let status = 0;
  for (const path of verification.path) {
    const call = {
      method,
      url: baseUrl.replace(/\/+$/, "") + renderTemplate(path, values),
      headers: renderHeaders(headers, values),
      json: body === undefined ? undefined : renderFields(body, values),
    };
    status = (await callAsConnection(mode, subject, credentials, call, tools)).status;
    if (status >= 200 && status < 300) return;
  }
  if (status === 401 || status === 403) {
    throw new AppError(
      "connection_test_failed",
      `${name} refused these credentials with status ${status}; check them and try again.`,
    );
  }
  throw new AppError(
    "connection_test_failed",
    `${name} answered the test call with status ${status}, so the credentials could not be checked; try again later.`,
  );
}
