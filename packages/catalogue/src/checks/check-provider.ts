import { type Provider, rulesOf } from "../schema.ts";
import type { Reference } from "../templates/expression.ts";
import { listHostReferences, listReferences, type Template } from "../templates/template.ts";
import { checkWebhooks } from "../webhook-routers.ts";
import { checkAddresses } from "./check-addresses.ts";
import { checkFields, soundsSecret } from "./check-fields.ts";
import { checkHeaders } from "./check-headers.ts";

/** What the schema cannot say: names that lead nowhere, options that are none, unsafe addresses. */
export function checkProvider(provider: Provider): string[] {
  const templates = listTemplates(provider);
  const names = listNames(provider);
  return [
    ...templates.flatMap(([path, template]) => checkReferences(names, path, template)),
    ...listUnused(provider, templates),
    ...checkFields(provider),
    ...checkHeaders(provider),
    ...(rulesOf(provider).check?.(provider) ?? []),
    ...checkCaptures(provider),
    ...checkAddresses(provider, templates),
    ...checkTokenHosts(provider, templates),
    ...checkVerification(provider),
    ...checkIdentity(provider),
    ...checkMcp(provider),
    ...checkWebhooks(provider, [...listCaptured(provider), ...(rulesOf(provider).config ?? [])]),
  ];
}

/** Every template of the entry with its path. */
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

type KnownNames = { readonly [Scope in Reference["scope"]]?: readonly string[] };

/** Names that a template may use, for the scopes whose names are known beforehand. */
function listNames(provider: Provider): KnownNames {
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
    .filter((name) => soundsSecret(name) && provider.connection_config[name]?.secret !== true)
    .map(
      (name) => `${name} is captured and sounds secret: declare it in connection_config as such`,
    );
}

function checkReferences(names: KnownNames, path: string, template: Template): string[] {
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
    // What the server fills is of use to those who read the connection, and what is asked for before an
    // installation from outside tells whose webhook it is that completes it.
    ...Object.entries(provider.connection_config)
      .filter(([, { automated }]) => !automated && !isInstalledOutside(provider))
      .map(([name]) => `config.${name}`),
  ];
  return declared.filter((name) => !used.has(name)).map((name) => `${name} is never used`);
}

function isInstalledOutside(provider: Provider): boolean {
  return "installation" in provider && provider.installation === "outbound";
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

function checkIdentity({ identity, base_url: base }: Provider): string[] {
  const isLost = identity?.path !== undefined && base === undefined;
  return isLost ? ["identity needs a base_url for its path"] : [];
}

function checkMcp(provider: Provider): string[] {
  if (provider.mcp === undefined || rulesOf(provider).mayHaveMcp === true) return [];
  return [`mcp is not for ${provider.auth_mode}`];
}
