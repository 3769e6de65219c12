import type { Provider, TemplateValues } from "@jackfield/catalogue";
import type { AuthSubject, Credentials } from "../auth-mode.ts";
import { secretConfigOf } from "../secret-config.ts";

const platform = { name: "Jackfield", user_agent: "Jackfield" };

/** What the templates of an entry may name. Credentials and more only where the text is sent to the provider. */
export function toTemplateValues(
  subject: AuthSubject,
  credentials?: Credentials,
  more: TemplateValues = {},
): TemplateValues {
  return {
    config: {
      ...defaultsOf(subject.provider),
      ...subject.connectionConfig,
      ...(credentials === undefined ? {} : secretConfigOf(credentials)),
    },
    integration: subject.integrationConfig,
    platform,
    ...(credentials === undefined ? {} : { credentials }),
    ...more,
  };
}

// Kept with its key: read of the provider's entry alone.
const defaults = new WeakMap<Provider, Readonly<Record<string, string>>>();

/** For connections that were imported without a field, or made before the entry had it. */
function defaultsOf(provider: Provider): Readonly<Record<string, string>> {
  const known = defaults.get(provider);
  if (known !== undefined) return known;
  const values = Object.entries(provider.connection_config).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default] as const],
  );
  const found = Object.fromEntries(values);
  defaults.set(provider, found);
  return found;
}
