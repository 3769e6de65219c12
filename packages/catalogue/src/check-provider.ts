import type { Reference } from "./expression.ts";
import type { Field } from "./schema/values.ts";
import { type Provider, rulesOf } from "./schema.ts";
import { listHostReferences, listReferences, type Template } from "./template.ts";

/** What the schema cannot say: names that lead nowhere, options that are none, unsafe addresses. */
export function checkProvider(provider: Provider): string[] {
  const templates = listTemplates(provider);
  return [
    ...templates.flatMap(([path, template]) => checkReferences(provider, path, template)),
    ...listUnused(provider, templates),
    ...checkFields(provider),
    ...(rulesOf(provider).check?.(provider) ?? []),
    ...checkCaptures(provider),
    ...checkAddresses(templates),
    ...checkTokenHosts(provider, templates),
    ...checkVerification(provider),
  ];
}

/** Every template of the entry with the path at which it stands. */
function listTemplates(value: unknown, path = ""): [path: string, template: Template][] {
  if (typeof value !== "object" || value === null) return [];
  if (isTemplate(value)) return [[path, value]];
  if (Array.isArray(value) && value.length === 1) return listTemplates(value[0], path);
  return Object.entries(value).flatMap(([key, inner]) =>
    listTemplates(inner, path === "" ? key : `${path}.${key}`),
  );
}

function isTemplate(value: object): value is Template {
  return "parts" in value && Array.isArray(value.parts) && "text" in value;
}

/** Names that a template may use, for the scopes whose names are known beforehand. */
function listNames(provider: Provider): { [Scope in Reference["scope"]]?: readonly string[] } {
  const rules = rulesOf(provider);
  return {
    config: [
      ...Object.keys(provider.connection_config),
      ...listCaptured(provider),
      ...(rules.config ?? []),
    ],
    credentials: [...rules.credentials, ...Object.keys(provider.credentials)],
    integration: Object.keys(provider.integration_config),
    client: ["id", "secret", "app_id", "app_link"],
    platform: ["name", "user_agent"],
    grant: ["code", "refresh_token", "redirect_uri", "code_verifier", "scope"],
    request: ["method", "url", "host", "path", "query", "body", "content_type"],
  };
}

/** Fields of connection_config that the engine takes from answers. */
function listCaptured(provider: Provider): string[] {
  const names = provider.after_connect.flatMap(({ save }) => Object.keys(save));
  if (!("capture" in provider)) return names;
  const { capture } = provider;
  const fromCallback = "callback" in capture ? Object.keys(capture.callback ?? {}) : [];
  return [...names, ...Object.keys(capture.token), ...fromCallback];
}

/** What is captured under a secret's name is declared, so that it is kept with the secrets. */
function checkCaptures(provider: Provider): string[] {
  return listCaptured(provider)
    .filter((name) => secretName.test(name) && provider.connection_config[name]?.secret !== true)
    .map(
      (name) => `${name} is captured and sounds secret: declare it in connection_config as such`,
    );
}

function checkReferences(provider: Provider, path: string, template: Template): string[] {
  const names = listNames(provider);
  return listReferences(template)
    .filter(({ scope, name }) => names[scope]?.includes(name) === false)
    .filter(({ scope, name }) => names[scope]?.includes(name.split(".")[0] ?? "") !== true)
    .map(({ scope, name }) => `${path} names {{${scope}.${name}}}, which is not declared`);
}

function listUnused(provider: Provider, templates: readonly [string, Template][]): string[] {
  const used = new Set(
    templates.flatMap(([, template]) =>
      listReferences(template).map(({ scope, name }) => `${scope}.${name}`),
    ),
  );
  const { usesIntegration } = rulesOf(provider);
  for (const name of usesIntegration?.(provider) ?? []) used.add(`integration.${name}`);
  const declared = [
    ...Object.keys(provider.integration_config).map((name) => `integration.${name}`),
    // What the platform fills is of use to those who read the connection.
    ...Object.entries(provider.connection_config)
      .filter(([, { automated }]) => !automated)
      .map(([name]) => `config.${name}`),
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
  const faults: string[] = [];
  if (
    field.enum !== undefined &&
    field.default !== undefined &&
    !field.enum.includes(field.default)
  ) {
    faults.push(`${path}: the default is not one of the values`);
  }
  if (field.pattern === undefined) return faults;
  if (field.secret) faults.push(`${path}: a secret has no pattern, for vendors change theirs`);
  try {
    const pattern = new RegExp(field.pattern, "u");
    if (!/^\^.*\$$/.test(field.pattern)) faults.push(`${path}: the pattern is not anchored`);
    if (field.example !== undefined && !pattern.test(field.example)) {
      faults.push(`${path}: the example does not match the pattern`);
    }
  } catch {
    faults.push(`${path}: the pattern is no regular expression`);
  }
  return faults;
}

const fieldsOfText =
  /(^|\.)(headers|query|body|params|claims|audience|integration_config|connection_config|credentials|[a-z]+_(params|headers))(\.|$)/;

function checkAddresses(templates: readonly [string, Template][]): string[] {
  return templates.flatMap(([path, { text }]) => {
    if (fieldsOfText.test(path) || !/^https?:\/\//.test(text)) return [];
    const faults: string[] = [];
    if (!text.startsWith("https://")) faults.push(`${path} is not https`);
    if (/^https?:\/\/[^/?]*@/.test(text)) faults.push(`${path} holds a user`);
    if (/^base_url(\.|$)/.test(path) && /\/$|\?/.test(text))
      faults.push(`${path} ends in / or has a query`);
    if (/[?&](client_secret|token|api_?key)=/i.test(text)) faults.push(`${path} holds a secret`);
    return faults;
  });
}

const tokenAddresses = /^(token_url|refresh_url|exchange|revocation|installation_token_url)(\.|$)/;

/** The integration's client secret goes to these addresses, so no end user may choose their host freely. */
function checkTokenHosts(provider: Provider, templates: readonly [string, Template][]): string[] {
  if (!("authorization_url" in provider)) return [];
  return templates
    .filter(([path]) => tokenAddresses.test(path))
    .flatMap(([path, template]) =>
      listHostReferences(template)
        .filter(({ scope }) => scope === "config")
        .filter(({ name }) => {
          const field = provider.connection_config[name];
          return field?.pattern === undefined && field?.enum === undefined;
        })
        .map(
          ({ name }) =>
            `${path}: config.${name} chooses the host, so it needs a pattern or an enum`,
        ),
    );
}

function checkVerification(provider: Provider): string[] {
  const { verification, base_url: base } = provider;
  if (verification === undefined || verification.base_url !== undefined) return [];
  if (base !== undefined) return [];
  return ["verification needs a base_url"];
}
