import { renderFirst, TemplateError } from "@jackfield/catalogue";
import type { AuthSubject, Credentials } from "../auth-mode.ts";
import { toTemplateValues } from "./template-values.ts";

/** Hosts of the authorization server that issued the credentials; empty where there is none. */
export function listIssuerHosts(subject: AuthSubject, credentials: Credentials): string[] {
  const { issuer, token_url: tokenUrl } = Object(credentials["authorization_server"]);
  const urls: unknown[] = [issuer, tokenUrl, findAuthorizationUrl(subject)];
  return urls.flatMap((each) => (typeof each === "string" && URL.parse(each)?.hostname) || []);
}

function findAuthorizationUrl(subject: AuthSubject): string | undefined {
  const { provider } = subject;
  if (!("authorization_url" in provider) || !Array.isArray(provider.authorization_url))
    return undefined;
  if (provider.authorization_url.length === 0) return undefined;
  try {
    return renderFirst(provider.authorization_url, toTemplateValues(subject));
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return undefined;
  }
}
