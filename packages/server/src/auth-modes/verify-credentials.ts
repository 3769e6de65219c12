import { renderOptional, renderTemplate } from "@jackfield/catalogue";
import { callAsConnection } from "./apply/call-as-connection.ts";
import { findBaseUrl } from "./apply/find-base-url.ts";
import { toTemplateValues } from "./apply/template-values.ts";
import { renderFields, renderHeaders } from "./apply/write-call.ts";
import type { AuthMode, AuthSubject, AuthTools, Credentials, Minted } from "./auth-mode.ts";
import { inStage } from "./observe/in-stage.ts";
import { ProviderFailure } from "./observe/provider-failure.ts";
import { findSigningFacts } from "./proof/signing-facts.ts";

/** Calls what the entry names as its verification; throws ProviderFailure unless one answers 2xx. */
export async function verifyCredentials(
  mode: AuthMode,
  subject: AuthSubject,
  credentials: Credentials,
  tools: AuthTools,
): Promise<void> {
  await inStage(
    "verification",
    tools,
    async (tools) => await verify(mode, subject, credentials, tools),
  );
}

/**
 * What is made here of a secret and the time, checked by a call; made once more where the refusal shows that the
 * provider's clock tells another time. Throws like verifyCredentials.
 */
export async function mintVerified(
  mode: AuthMode,
  subject: AuthSubject,
  mint: (now: Date) => Promise<Minted>,
  tools: AuthTools,
): Promise<Minted> {
  const at = providerTime(subject, tools);
  const minted = await mint(at);
  try {
    await verifyCredentials(mode, subject, minted.credentials, tools);
    return minted;
  } catch (error) {
    const theirs = providerTime(subject, tools);
    if (theirs.getTime() === at.getTime()) throw error;
    const again = await mint(theirs);
    await verifyCredentials(mode, subject, again.credentials, tools);
    return again;
  }
}

/** The time by the clock of the provider's API, as far as that is known. */
export function providerTime(subject: AuthSubject, { http, now }: AuthTools): Date {
  const url = findBaseUrl(subject) ?? "";
  return findSigningFacts(http.servers, url, { now, role: "resource" }).now;
}

/** Whether the entry names a call to try credentials with, and its address is known. */
export function needsTestCall(subject: AuthSubject): boolean {
  const { verification } = subject.provider;
  return (
    verification !== undefined && (verification.base_url ?? findBaseUrl(subject)) !== undefined
  );
}

async function verify(
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
      url: baseUrl.replace(/(?<!\/)\/+$/, "") + renderTemplate(path, values),
      headers: renderHeaders(headers, values),
      json: body === undefined ? undefined : renderFields(body, values),
    };
    status = (await callAsConnection(mode, subject, credentials, call, tools)).status;
    if (status >= 200 && status < 300) return;
  }
  if (status === 401 || status === 403) {
    throw new ProviderFailure(
      "refused",
      `${name} refused these credentials; check them and try again.`,
    );
  }
  throw new ProviderFailure(
    "refused",
    `${name} did not answer the test call as expected, so the credentials could not be checked; try again later.`,
  );
}
