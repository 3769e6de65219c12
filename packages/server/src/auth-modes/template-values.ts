import type { TemplateValues } from "@jackfield/catalogue";
import type { AuthSubject, Credentials } from "./auth-mode.ts";
import { secretConfigOf } from "./secret-config.ts";

const platform = { name: "Jackfield", user_agent: "Jackfield" };

/** What the templates of an entry may name. Credentials and more only where the text is sent to the provider. */
export function toTemplateValues(
  subject: AuthSubject,
  credentials?: Credentials,
  more: TemplateValues = {},
): TemplateValues {
  return {
    config: {
      ...subject.connectionConfig,
      ...(credentials === undefined ? {} : secretConfigOf(credentials)),
    },
    integration: subject.integrationConfig,
    platform,
    ...(credentials === undefined ? {} : { credentials }),
    ...more,
  };
}
