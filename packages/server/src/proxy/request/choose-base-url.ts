import { type AuthSubject, findBaseUrl, findOtherBaseUrl } from "#auth-modes";
import { type Actor, AppError, holdsScope } from "#foundation";
import type { Integration } from "#integrations";
import { withoutSlash } from "./target.ts";

export interface WantedBase {
  /** Path and query of the call. */
  readonly path: string;
  /** What the caller names instead. */
  readonly override: string | undefined;
  /** Whether an override may only name hosts of the integration, also for those who can read the credentials. */
  readonly knownHostsOnly?: boolean | undefined;
}

/**
 * The base of a call: what the caller names, if it may, else the integration's or the entry's.
 * Throws missing_base_url or base_url_override_not_allowed.
 */
export function chooseBaseUrl(
  actor: Actor,
  integration: Integration,
  subject: AuthSubject,
  { path, override, knownHostsOnly = false }: WantedBase,
): string {
  const own = findPathBaseUrl(subject, path) ?? findBaseUrl(subject);
  if (override === undefined || override === "") {
    if (own !== undefined) return own;
    throw new AppError(
      "missing_base_url",
      `Neither ${integration.uniqueKey} nor its provider has a base URL; set one in integration_config, or send Base-Url-Override.`,
    );
  }
  const isBound = knownHostsOnly || (own !== undefined && !mayReadCredentials(actor));
  if (isBound) requireKnownHost(override, own, integration);
  return override;
}

/** The entry's address for this very path, where it has one; cheap where it has none. */
export function findPathBaseUrl(subject: AuthSubject, path: string): string | undefined {
  if (subject.provider.other_base_urls.length === 0) return undefined;
  return findOtherBaseUrl(subject, withoutSlash(path));
}

/** Who can read the credentials anyway may send them anywhere. */
function mayReadCredentials(actor: Actor): boolean {
  if (actor.kind === "function" || actor.kind === "system") return true;
  return holdsScope(actor, "environment:connections:read_credentials");
}

function requireKnownHost(
  override: string,
  own: string | undefined,
  { settings }: Integration,
): void {
  const wanted = new URL(override);
  const known = own === undefined ? undefined : new URL(own);
  // The same host without TLS would show the credentials to the network.
  const isSafe = wanted.protocol === "https:" || known?.protocol === "http:";
  if (wanted.host === known?.host && isSafe) return;
  const listed = settings.allowed_hosts ?? [];
  if (listed.some((host) => [wanted.host, wanted.hostname].includes(host.toLowerCase()))) return;
  throw new AppError(
    "base_url_override_not_allowed",
    `This caller may not send the connection's credentials to ${wanted.host}: add the host to the integration's settings.allowed_hosts, or use a key with environment:connections:read_credentials.`,
  );
}
