import type { Field, Provider } from "./schema.ts";
import { listReferences, type Reference, type Template } from "./template.ts";

/** What the schema cannot say: names that lead nowhere, options that are none, unsafe addresses. */
export function checkProvider(provider: Provider): string[] {
  const templates = listTemplates(provider);
  return [
    ...templates.flatMap(([path, template]) => checkReferences(provider, path, template)),
    ...listUnused(provider, templates),
    ...checkFields(provider),
    ...checkOptions(provider),
    ...checkAddresses(templates),
    ...checkVerification(provider),
  ];
}

/** Every template of the entry with the path at which it stands. */
function listTemplates(value: unknown, path = ""): [path: string, template: Template][] {
  if (typeof value !== "object" || value === null) return [];
  if (isTemplate(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) =>
    listTemplates(inner, path === "" ? key : `${path}.${key}`),
  );
}

function isTemplate(value: object): value is Template {
  return "parts" in value && Array.isArray(value.parts) && "text" in value;
}

const ownCredentials: { readonly [Mode in Provider["auth_mode"]]: readonly string[] } = {
  OAUTH2: [],
  OAUTH2_CC: ["client_id", "client_secret"],
  API_KEY: ["apiKey"],
  BASIC: ["username", "password"],
  NONE: [],
};

function listNames(provider: Provider): Record<Reference["scope"], readonly string[]> {
  const captured = provider.auth_mode === "OAUTH2" ? provider.capture : undefined;
  return {
    config: [
      ...Object.keys(provider.connection_config),
      ...Object.keys(captured?.token ?? {}),
      ...Object.keys(captured?.callback ?? {}),
    ],
    credentials: [...ownCredentials[provider.auth_mode], ...Object.keys(provider.credentials)],
    integration: Object.keys(provider.integration_config),
  };
}

function checkReferences(provider: Provider, path: string, template: Template): string[] {
  const names = listNames(provider);
  return listReferences(template)
    .filter(({ scope, name }) => !names[scope].includes(name))
    .map(({ scope, name }) => `${path} names {{${scope}.${name}}}, which is not declared`);
}

function listUnused(provider: Provider, templates: readonly [string, Template][]): string[] {
  const used = new Set(
    templates.flatMap(([, template]) =>
      listReferences(template).map(({ scope, name }) => `${scope}.${name}`),
    ),
  );
  if (provider.auth_mode === "API_KEY" && "integration_field" in provider.api_key.value) {
    used.add(`integration.${provider.api_key.value.integration_field}`);
  }
  const declared = [
    ...Object.keys(provider.integration_config).map((name) => `integration.${name}`),
    ...Object.keys(provider.connection_config).map((name) => `config.${name}`),
  ];
  return declared.filter((name) => !used.has(name)).map((name) => `${name} is never used`);
}

const secretName = /secret|password|token(?!_url|_auth)|private_?key|api_?key/i;

function checkFields(provider: Provider): string[] {
  const groups = {
    integration_config: provider.integration_config,
    connection_config: provider.connection_config,
    credentials: provider.credentials,
  };
  return Object.entries(groups).flatMap(([group, fields]) =>
    Object.entries(fields).flatMap(([name, field]) => [
      ...checkField(`${group}.${name}`, field),
      ...(group === "connection_config" && secretName.test(name) && !field.secret
        ? [`${group}.${name} sounds secret: move it to credentials or mark it secret`]
        : []),
    ]),
  );
}

function checkField(path: string, field: Field): string[] {
  if (field.enum === undefined || field.default === undefined) return [];
  return field.enum.includes(field.default)
    ? []
    : [`${path}: the default is not one of the values`];
}

const optionValues = {
  token_auth_method: ["client_secret_basic", "client_secret_post", "none"],
  pkce: ["s256", "none"],
  placement: ["header", "query"],
} as const;

function checkOptions(provider: Provider): string[] {
  switch (provider.auth_mode) {
    case "OAUTH2":
      return [
        ...checkOption(provider, "token_auth_method", provider.token_auth_method),
        ...checkOption(provider, "pkce", provider.pkce),
        ...checkReservedParams(Object.keys(provider.authorization_params)),
      ];
    case "OAUTH2_CC":
      return checkOption(provider, "token_auth_method", provider.token_auth_method);
    case "API_KEY":
      return [
        ...checkOption(provider, "placement", provider.api_key.placement),
        ...checkValueField(provider),
      ];
    default:
      return [];
  }
}

/** An option is one of its values, or one field of integration_config that can only be such. */
function checkOption(
  provider: Provider,
  name: keyof typeof optionValues,
  template: Template,
): string[] {
  const allowed: readonly string[] = optionValues[name];
  const [reference, ...others] = listReferences(template);
  if (reference === undefined) {
    return allowed.includes(template.text) ? [] : [`${name} is not one of ${allowed.join(", ")}`];
  }
  const field = provider.integration_config[reference.name];
  const covered = field?.enum?.every((value) => allowed.includes(value)) === true;
  const alone = others.length === 0 && template.parts.length === 1;
  return covered && alone && (field.default !== undefined || !field.optional)
    ? []
    : [`${name} needs one field whose enum holds only ${allowed.join(", ")}`];
}

const reservedParams = new Set([
  "state",
  "redirect_uri",
  "client_id",
  "response_type",
  "code_challenge",
  "code_challenge_method",
  "nonce",
]);

/** Parameters of the authorization request that only the engine sets. */
export function isReservedAuthorizationParam(name: string): boolean {
  return reservedParams.has(name.toLowerCase());
}

function checkReservedParams(names: readonly string[]): string[] {
  return names
    .filter(isReservedAuthorizationParam)
    .map((name) => `authorization_params may not set ${name}`);
}

function checkValueField(provider: Extract<Provider, { auth_mode: "API_KEY" }>): string[] {
  const { value } = provider.api_key;
  if (!("integration_field" in value)) return [];
  const field = provider.integration_config[value.integration_field];
  return field?.format === "template"
    ? []
    : [`api_key.value: ${value.integration_field} is no field of format template`];
}

const fieldsOfText = /^(headers|token_params|refresh_params|authorization_params)\./;

function checkAddresses(templates: readonly [string, Template][]): string[] {
  return templates.flatMap(([path, { text }]) => {
    if (fieldsOfText.test(path) || !/^https?:\/\//.test(text)) return [];
    const faults: string[] = [];
    if (!text.startsWith("https://")) faults.push(`${path} is not https`);
    if (/^https?:\/\/[^/?]*@/.test(text)) faults.push(`${path} holds a user`);
    if (path === "base_url" && /\/$|\?/.test(text)) faults.push(`${path} ends in / or has a query`);
    if (/[?&](client_secret|token|api_?key)=/i.test(text)) faults.push(`${path} holds a secret`);
    return faults;
  });
}

function checkVerification(provider: Provider): string[] {
  if (provider.verification === undefined || provider.base_url !== undefined) return [];
  return ["verification needs a base_url"];
}
