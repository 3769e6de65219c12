import type { Field, Provider, Template } from "@jackfield/catalogue";
import { integrationCredentials, type providerRoutes, type RouteOutput } from "@jackfield/contract";
import { type AskedFields, getAuthMode } from "#auth-modes";
import type { SystemContext } from "#foundation";

type ProviderBody = RouteOutput<typeof providerRoutes.getProvider>["data"];
export type Fields = ProviderBody["credentials"];

/** An entry on the wire: what it asks for is its mode's fields and its own. */
export function presentProvider(
  { settings }: Pick<SystemContext, "settings">,
  provider: Provider,
): ProviderBody {
  const { id, display_name, categories, auth_mode, docs, docs_connect = docs } = provider;
  const mode = getAuthMode(auth_mode);
  return {
    name: id,
    display_name,
    family: provider.family ?? id,
    family_name: provider.family_name ?? display_name,
    ...presentStanding(provider),
    categories: [...categories],
    auth_mode,
    // Entries for any API have no vendor whose pages could be named.
    docs: docs ?? `${settings.serverUrl}/docs/api`,
    ...(docs_connect === undefined ? {} : { docs_connect }),
    logo_url: `${settings.serverUrl}/images/template-logos/${id}.svg`,
    ...presentAddress("authorization_url", provider),
    ...presentAddress("token_url", provider),
    ...("installation" in provider && provider.installation !== undefined
      ? { installation: provider.installation }
      : {}),
    connect_method: mode.startAuthorization === undefined ? "form" : "browser",
    ...presentScopes(provider),
    ...presentProxy(provider),
    connection_config: presentFields(provider.connection_config),
    credentials: presentCredentials(mode.fields, provider.credentials),
    integration_config: presentFields(provider.integration_config),
  };
}

/** What a list shows. */
export function summarise(body: ProviderBody) {
  const { popular, unverified, deprecated, custom_version } = body;
  return {
    name: body.name,
    display_name: body.display_name,
    family: body.family,
    family_name: body.family_name,
    ...(popular !== undefined && { popular }),
    ...(unverified !== undefined && { unverified }),
    ...(deprecated !== undefined && { deprecated }),
    ...(custom_version !== undefined && { custom_version }),
    categories: body.categories,
    auth_mode: body.auth_mode,
    logo_url: body.logo_url,
    connect_method: body.connect_method,
  };
}

/**
 * For the connect page: browsers compare by backtracking, which patterns of customers can make endless. The server
 * compares when the form is sent.
 */
export function withoutPatterns(body: ProviderBody): ProviderBody {
  const strip = (fields: Fields): Fields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, { pattern: _, ...field }]) => [name, field]),
    );
  return {
    ...body,
    connection_config: strip(body.connection_config),
    credentials: strip(body.credentials),
    integration_config: strip(body.integration_config),
  };
}

/** How far an entry can be relied on. */
function presentStanding({
  popular,
  unverified,
  checked_at,
  deprecated,
}: Provider): Pick<ProviderBody, "popular" | "unverified" | "checked_at" | "deprecated"> {
  return {
    ...(popular ? { popular } : {}),
    ...(unverified ? { unverified } : {}),
    ...(checked_at === undefined ? {} : { checked_at }),
    ...(deprecated === undefined ? {} : { deprecated }),
  };
}

function presentScopes(
  provider: Provider,
): Pick<ProviderBody, "scope_separator" | "default_scopes" | "example_scopes"> {
  if (!("scope_separator" in provider)) return {};
  const required = "required_scopes" in provider ? provider.required_scopes : [];
  const { example_scopes: examples, scope_separator: separator } = provider;
  return {
    scope_separator: toWire(separator),
    ...(required.length === 0 ? {} : { default_scopes: [...required] }),
    ...(examples.length === 0 ? {} : { example_scopes: [...examples] }),
  };
}

/** Of several addresses the first: the one that is used where its values are known. */
function presentAddress(name: "authorization_url" | "token_url", provider: Provider) {
  const found: unknown = new Map<string, unknown>(Object.entries(provider)).get(name);
  const [first] = [found].flat();
  return isTemplate(first) ? { [name]: toWire(first) } : {};
}

function presentProxy(provider: Provider): Pick<ProviderBody, "proxy"> {
  const [baseUrl] = provider.base_url ?? [];
  if (baseUrl === undefined) return {};
  const { headers, query, pagination, retry } = provider;
  return {
    proxy: {
      base_url: toWire(baseUrl),
      ...presentTexts("headers", headers),
      ...presentTexts("query", query),
      ...(pagination === undefined ? {} : { paginate: pagination }),
      ...(retry === undefined ? {} : { retry }),
    },
  };
}

function presentTexts(name: string, templates: Readonly<Record<string, Template>>) {
  const entries = Object.entries(templates).map(([key, template]) => [key, toWire(template)]);
  return entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) };
}

function presentCredentials(fields: AskedFields, own: Provider["credentials"]): Fields {
  const ofMode = Object.entries(fields).filter(([name]) => !Object.hasOwn(own, name));
  return { ...presentAsked(ofMode), ...presentFields(own, ofMode.length + 1) };
}

/** The credentials of integrations, such as an OAuth client; undefined where they have none of their own. */
export function presentClientFields(provider: Provider): Fields | undefined {
  const { id, clientFields } = getAuthMode(provider.auth_mode);
  if (clientFields === undefined) return undefined;
  const asked = Object.entries(clientFields).filter(
    ([name]) => !keyFields.has(name) || mayNeedKey(provider),
  );
  return presentAsked(asked, (name) => describeCredential(id, name));
}

const keyFields: ReadonlySet<string> = new Set(["client_private_key", "client_certificate"]);

/** Whether the client may have to prove itself by a key: by the entry, or by a setting that it asks for. */
function mayNeedKey(provider: Provider): boolean {
  const method = "token_auth_method" in provider ? provider.token_auth_method.text : "";
  return /^(private_key_jwt|tls_client)|\{\{/.test(method);
}

/** The words of the contract. */
function describeCredential(type: string, name: string): string | undefined {
  const kind = integrationCredentials.options.find(({ shape }) => shape.type.value === type);
  const fields: Readonly<Record<string, { readonly description?: string | undefined }>> =
    kind?.shape ?? {};
  return fields[name]?.description;
}

function presentAsked(
  asked: readonly (readonly [string, AskedFields[string]])[],
  describe: (name: string) => string | undefined = () => undefined,
): Fields {
  return Object.fromEntries(
    asked.map(([name, { title, secret, optional }], index) => [
      name,
      {
        type: "string" as const,
        title,
        ...present({ description: describe(name) }),
        ...flags({ secret, optional }),
        order: index + 1,
      },
    ]),
  );
}

export function presentFields(fields: Readonly<Record<string, Field>>, firstOrder = 1): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field], index) => [
      name,
      presentField(field, firstOrder + index),
    ]),
  );
}

function presentField(field: Field, order: number): Fields[string] {
  const { title, description, example, format, pattern, prefix, suffix } = field;
  return {
    type: "string",
    title: toWire(title),
    ...present({ description, example, format, pattern, prefix, suffix }),
    ...(field.enum === undefined ? {} : { enum: [...field.enum] }),
    ...(field.default === undefined ? {} : { default_value: field.default }),
    ...flags(field),
    order,
  };
}

function present(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Only those that are set: a field is asked for, shown and needed unless it says otherwise. */
function flags({
  secret,
  optional,
  automated,
  hidden,
}: {
  secret?: boolean | undefined;
  optional?: boolean | undefined;
  automated?: boolean | undefined;
  hidden?: boolean | undefined;
}) {
  return {
    ...(secret === true ? { secret } : {}),
    ...(optional === true ? { optional } : {}),
    ...(automated === true ? { automated } : {}),
    ...(hidden === true ? { hidden } : {}),
  };
}

const wireScopes: Readonly<Record<string, string>> = {
  config: "connectionConfig",
  integration: "integrationConfig",
};

/** The text with placeholders as the API spells them: `${connectionConfig.x}`. */
function toWire({ text }: Template): string {
  return text.replaceAll(/\{\{([^{}]*)\}\}/g, (_whole, inner: string) => {
    const spelled = inner.replaceAll(
      /\b(config|integration)\./g,
      (_name, scope: string) => `${wireScopes[scope] ?? scope}.`,
    );
    return `\${${spelled.trim()}}`;
  });
}

function isTemplate(value: unknown): value is Template {
  return typeof value === "object" && value !== null && "text" in value && "parts" in value;
}
