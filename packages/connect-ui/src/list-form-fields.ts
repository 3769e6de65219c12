import { type FormField, toField, toFields } from "@jackfield/ui/form-fields.ts";
import type { Integration, Provider, Session } from "./platform.ts";
import { type HelpWords, wordHelp } from "./texts/helps/help-words.ts";

/** Whether the credentials come from the provider's own pages. */
export function isBrowserMode({ connect_method: method }: Provider): boolean {
  return method === "browser";
}

const overrideNames = ["oauth_client_id_override", "oauth_client_secret_override"] as const;

/** The fields that a person has to be asked for, in the order in which they are shown. */
export function listFormFields(given: {
  session: Session;
  integration: Integration;
  provider: Provider;
  ownClientLabels: readonly [id: string, secret: string];
  /** The language's words for titles of the catalogue. */
  labels: Readonly<Record<string, string>>;
  /** How the language words the catalogue's explanations. */
  helps: HelpWords | undefined;
}): readonly FormField[] {
  const { session, integration, provider, ownClientLabels, labels, helps } = given;
  const preset = session.integrations_config_defaults?.[integration.unique_key]?.connection_config;
  const settled = new Set(Object.keys(preset ?? {}));
  const params = toFields("params", provider.connection_config ?? {}).filter(
    ({ name }) => !settled.has(name),
  );
  const held = new Set(integration.preconfigured_credentials);
  const credentials = isBrowserMode(provider)
    ? []
    : toFields("credentials", provider.credentials ?? {}, integration.credentials_label).filter(
        ({ name }) => !held.has(name),
      );
  const asksClient = overrideNames.every((name) => preset?.[name] === "");
  const overrides = asksClient
    ? overrideNames.map((name, at) => ownClient(name, ownClientLabels[at]))
    : [];
  const own = integration.credentials_label ?? {};
  const asked = [...params, ...credentials].map((field) => {
    const help = field.help === undefined ? undefined : wordHelp(helps, field.help);
    // What the operator calls a field stays.
    const isOwn = field.target === "credentials" && Object.hasOwn(own, field.name);
    return { ...field, help, label: isOwn ? field.label : wordFor(labels, field.label) };
  });
  return [...asked, ...overrides];
}

function wordFor(labels: Readonly<Record<string, string>>, title: string): string {
  return (Object.hasOwn(labels, title) ? labels[title] : undefined) ?? title;
}

function ownClient(name: (typeof overrideNames)[number], label = name as string): FormField {
  const secret = name === "oauth_client_secret_override";
  return toField("override", name, { title: label, secret, optional: true });
}
