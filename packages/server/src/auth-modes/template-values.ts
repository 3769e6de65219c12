import type { TemplateValues } from "@jackfield/catalogue";
import type { AuthSubject, Credentials } from "./auth-mode.ts";

/** What the templates of an entry may name. Credentials only where the text is sent to the provider. */
export function toTemplateValues(subject: AuthSubject, credentials?: Credentials): TemplateValues {
  const known = { config: subject.connectionConfig, integration: subject.integrationConfig };
  return credentials === undefined ? known : { ...known, credentials: toTexts(credentials) };
}

function toTexts(credentials: Credentials): Record<string, string> {
  return Object.fromEntries(
    Object.entries(credentials).filter(
      (entry): entry is [string, string] => entry[0] !== "type" && typeof entry[1] === "string",
    ),
  );
}
