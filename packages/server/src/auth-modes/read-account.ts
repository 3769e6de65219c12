import { type Identity, renderOptional, renderTemplate } from "@jackfield/catalogue";
import { callAsConnection } from "./apply/call-as-connection.ts";
import { findBaseUrl } from "./apply/find-base-url.ts";
import { toTemplateValues } from "./apply/template-values.ts";
import { renderFields, renderHeaders } from "./apply/write-call.ts";
import type { AuthMode, AuthSubject, AuthTools, Credentials } from "./auth-mode.ts";
import { ProviderFailure } from "./observe/provider-failure.ts";
import { parseTokenAnswer, readCaptured } from "./obtain/token-answer.ts";

/** Whose account a connection is at its provider; texts of the provider, without what cannot be seen. */
export interface ProviderAccount {
  readonly id: string;
  readonly label?: string | undefined;
  readonly email?: string | undefined;
  readonly workspace?: string | undefined;
}

/**
 * Asks the provider whose credentials these are, as its entry says; undefined where the entry does not know, or the
 * provider does not say. Throws ProviderFailure where no answer comes.
 */
export async function readAccount(
  mode: AuthMode,
  subject: AuthSubject,
  credentials: Credentials,
  tools: AuthTools,
): Promise<ProviderAccount | undefined> {
  const { identity } = subject.provider;
  if (identity === undefined) return undefined;
  const values = { ...toTemplateValues(subject, credentials), now: tools.now };
  const url = toUrl(subject, identity, values);
  if (url === undefined) return undefined;
  const call = {
    method: identity.method,
    url,
    headers: renderHeaders(identity.headers, values),
    json: identity.body === undefined ? undefined : renderFields(identity.body, values),
  };
  const { status, body } = await callAsConnection(mode, subject, credentials, call, tools);
  if (status === 429 || status >= 500) {
    throw new ProviderFailure("unavailable", `The provider answered ${status}.`);
  }
  if (status < 200 || status >= 300) return undefined;
  const answer = parseTokenAnswer(body);
  const id = answer && readText(answer, identity.id);
  if (id === undefined) return undefined;
  const { label, email, workspace } = identity;
  return {
    id,
    ...named("label", label && readText(answer, label)),
    ...named("email", email && readText(answer, email)),
    ...named("workspace", workspace && readText(answer, workspace)),
  };
}

function toUrl(
  subject: AuthSubject,
  { path, url }: Identity,
  values: Parameters<typeof renderOptional>[1],
): string | undefined {
  if (url !== undefined) return renderOptional(url, values);
  const base = findBaseUrl(subject);
  if (base === undefined || path === undefined) return undefined;
  return base.replace(/(?<!\/)\/+$/, "") + renderTemplate(path, values);
}

function named(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value };
}

const MOST_CHARACTERS = 255;
// Controls, and what turns or hides text: https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** The first that is there. */
function readText(answer: unknown, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = readCaptured(answer, path)?.replaceAll(unseen, " ").trim();
    if (text) return text.slice(0, MOST_CHARACTERS);
  }
  return undefined;
}
