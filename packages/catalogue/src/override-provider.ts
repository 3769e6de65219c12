import { findHeaderFault } from "./checks/check-headers.ts";
import { isReservedAuthorizationParam } from "./modes/oauth2.ts";
import type { Provider } from "./schema.ts";
import { literalTemplate, type Template } from "./templates/template.ts";

/** Single facts of an entry that an integration says otherwise; the values are taken as they are. */
export interface ProviderOverrides {
  readonly base_url?: string | undefined;
  readonly authorization_url?: string | undefined;
  readonly token_url?: string | undefined;
  readonly refresh_url?: string | undefined;
  readonly revocation_url?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly authorization_params?: Readonly<Record<string, string>> | undefined;
  readonly token_params?: Readonly<Record<string, string>> | undefined;
}

const addresses = ["base_url", "authorization_url", "token_url", "refresh_url"] as const;
const groups = ["headers", "authorization_params", "token_params"] as const;

/** The entry with these facts; what its mode does not know is left out. */
export function overrideProvider(provider: Provider, overrides: ProviderOverrides): Provider {
  const facts: Record<string, unknown> = {};
  for (const name of addresses) {
    const value = overrides[name];
    if (value !== undefined && knows(provider, name))
      facts[name] = toAddress(provider, name, value);
  }
  for (const name of groups) {
    const values = overrides[name];
    if (values === undefined || !knows(provider, name)) continue;
    const own: Readonly<Record<string, unknown>> = Object(Reflect.get(provider, name));
    facts[name] = { ...own, ...toTemplates(values) };
  }
  return asProvider({
    ...provider,
    ...facts,
    // An integration with a base of its own has all paths there.
    ...(overrides.base_url === undefined ? {} : { other_base_urls: [] }),
    ...overrideRevocation(provider, overrides.revocation_url),
    ...overrideScopes(provider, overrides.scopes),
  });
}

function overrideRevocation(provider: Provider, url: string | undefined): object {
  if (url === undefined || !hasRevocation(provider)) return {};
  return { revocation: { ...provider.revocation, url: literalTemplate(url) } };
}

function hasRevocation(provider: Provider): provider is Provider & { revocation: object } {
  return "revocation" in provider && provider.revocation !== undefined;
}

/** Client credentials have them as one text, which the separator of the entry then joins. */
function overrideScopes(provider: Provider, scopes: readonly string[] | undefined): object {
  if (scopes === undefined) return {};
  if ("required_scopes" in provider) return { required_scopes: scopes };
  if (!takesScopes(provider)) return {};
  return { scopes: scopes.length === 0 ? undefined : literalTemplate(scopes.join(",")) };
}

function takesScopes(provider: Provider): boolean {
  return "required_scopes" in provider || "token_auth_method" in provider;
}

/** Why an entry cannot be overridden so, by the name of the fact. */
export function findOverrideFaults(
  provider: Provider,
  overrides: ProviderOverrides,
): { readonly name: string; readonly message: string }[] {
  const given = [...addresses, ...groups, "revocation_url" as const, "scopes" as const].filter(
    (name) => overrides[name] !== undefined,
  );
  const unknown = given
    .filter((name) => !knows(provider, name))
    .map((name) => ({
      name,
      message: `is not for ${provider.id}, whose ${provider.auth_mode} has none`,
    }));
  const reserved = Object.keys(overrides.authorization_params ?? {})
    .filter(isReservedAuthorizationParam)
    .map((name) => ({
      name: "authorization_params",
      message: `may not set ${name}: Jackfield sets it`,
    }));
  const headers = Object.keys(overrides.headers ?? {}).flatMap((name) => {
    const message = findHeaderFault(name);
    return message === undefined
      ? []
      : [{ name: "headers", message: `may not set this: ${message}` }];
  });
  return [...unknown, ...reserved, ...headers];
}

function knows(provider: Provider, name: string): boolean {
  if (name === "base_url" || name === "headers") return true;
  if (name === "revocation_url") return hasRevocation(provider);
  if (name === "scopes") return takesScopes(provider);
  return name === "refresh_url" ? "refresh_params" in provider : name in provider;
}

/** Modes with a fixed server have one address, the others a list to choose from. */
function toAddress(provider: Provider, name: string, value: string): Template | Template[] {
  const isList =
    name === "base_url" || name === "refresh_url" || Array.isArray(Reflect.get(provider, name));
  return isList ? [literalTemplate(value)] : literalTemplate(value);
}

function toTemplates(values: Readonly<Record<string, string>>): Record<string, Template> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, literalTemplate(value)]),
  );
}

// The facts have been put in the form that the entry has them in.
function asProvider(entry: object): Provider {
  return entry as Provider;
}
