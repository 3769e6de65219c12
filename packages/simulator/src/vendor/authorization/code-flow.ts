import {
  type AuthorizationCodeRules,
  type Provider,
  type ProviderOf,
  renderFirst,
  renderOptional,
  renderTemplate,
  type Template,
  type TemplateValues,
} from "@jackfield/catalogue";
import { type Wanted, wantedOfAll } from "../calls/expect-fields.ts";
import { type Grant, type VendorState, valuesOf } from "../vendor-state.ts";
import type { Client } from "./check-client.ts";

type FlowProvider = ProviderOf<"OAUTH2" | "CUSTOM" | "MCP_OAUTH2" | "MCP_OAUTH2_GENERIC">;

/** An entry's way through an authorization server, with its addresses filled in. */
export interface VendorFlow {
  readonly rules: AuthorizationCodeRules;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly refreshUrl: string;
  readonly authMethod: string;
  readonly refreshAuthMethod: string;
  readonly pkce: string;
  readonly scopeSeparator: string;
  readonly issuer: string | undefined;
  /** RFC 8707, where the entry has it sent along. */
  readonly resource: string | undefined;
}

export function findFlowProvider(provider: Provider): FlowProvider | undefined {
  switch (provider.auth_mode) {
    case "OAUTH2":
    case "CUSTOM":
    case "MCP_OAUTH2":
    case "MCP_OAUTH2_GENERIC":
      return provider;
    default:
      return undefined;
  }
}

export function flowOf(
  state: VendorState,
  rules: FlowProvider,
  grant?: Pick<Grant, "config" | "client">,
): VendorFlow {
  const values = valuesOf(state, grant, { credentials: undefined });
  const isPublic = grant !== undefined && grant.client.secret === "";
  const isMcp = rules.auth_mode.startsWith("MCP");
  const ownMethod = renderTemplate(rules.token_auth_method, values);
  const authMethod =
    isMcp && isPublic
      ? "none"
      : rules.auth_mode === "MCP_OAUTH2_GENERIC"
        ? "client_secret_post"
        : ownMethod;
  const own = findServer(state);
  const tokenUrl = own?.tokenUrl ?? renderUrl(rules.token_url, values);
  const refreshUrl = rules.refresh_url && renderFirst(rules.refresh_url, values);
  return {
    rules,
    authorizationUrl: own?.authorizationUrl ?? renderUrl(rules.authorization_url, values),
    tokenUrl,
    refreshUrl: refreshUrl ?? tokenUrl,
    authMethod,
    refreshAuthMethod:
      rules.refresh_auth_method === undefined
        ? authMethod
        : renderTemplate(rules.refresh_auth_method, values),
    pkce: renderTemplate(rules.pkce, values),
    scopeSeparator: renderTemplate(rules.scope_separator, values),
    issuer: own?.issuer ?? (rules.issuer && renderOptional(rules.issuer, values)),
    resource: findResource(rules, values),
  };
}

function renderUrl(templates: readonly Template[], values: TemplateValues): string {
  return renderFirst(templates, values) ?? "https://nowhere.invalid/";
}

function findResource(rules: FlowProvider, values: TemplateValues): string | undefined {
  if (rules.auth_mode === "MCP_OAUTH2_GENERIC") return renderTemplate(rules.server_url, values);
  if (rules.auth_mode !== "MCP_OAUTH2" || !rules.resource) return undefined;
  return rules.base_url && renderFirst(rules.base_url, values);
}

/** The authorization server of an MCP server that is discovered. */
export function findServer(state: VendorState) {
  const { provider } = state;
  if (provider.auth_mode !== "MCP_OAUTH2_GENERIC") return undefined;
  const server = new URL(renderTemplate(provider.server_url, valuesOf(state, undefined)));
  const issuer = `https://auth.${server.host}`;
  return {
    server: server.href,
    issuer,
    authorizationUrl: `${issuer}/authorize`,
    tokenUrl: `${issuer}/token`,
    registrationUrl: `${issuer}/register`,
    revocationUrl: `${issuer}/revoke`,
  };
}

/** Parameters under the vendor's names; an empty name leaves one out. */
export function rename(
  fields: ReadonlyMap<string, Wanted>,
  names: Readonly<Record<string, string>>,
): Map<string, Wanted> {
  const renamed = [...fields].map(([name, value]) => [names[name] ?? name, value] as const);
  return new Map(renamed.filter(([name]) => name !== ""));
}

/** Parameters that the entry adds, and the resource of an MCP server unless the entry names another. */
export function addedParams(
  templates: Readonly<Record<string, Template>>,
  values: TemplateValues,
  resource: string | undefined,
): Map<string, Wanted> {
  const own = wantedOfAll(templates, values);
  return resource === undefined || own.has("resource")
    ? own
    : new Map([...own, ["resource", resource]]);
}

/** A client by the id that a request names. */
export function findClient(state: VendorState, id: string): Client | undefined {
  const known = state.clients.get(id);
  if (known !== undefined) return known;
  const { provider } = state;
  const takesDocuments =
    provider.auth_mode === "MCP_OAUTH2_GENERIC" ||
    (provider.auth_mode === "MCP_OAUTH2" && provider.client_registration === "cimd");
  return takesDocuments && id.startsWith("https://") ? { id, secret: "" } : undefined;
}
