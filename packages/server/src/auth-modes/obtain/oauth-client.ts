import { AppError } from "#foundation";
import type { AuthSubject, ClientOverride, Credentials } from "../auth-mode.ts";
import { readOverride } from "../read-credentials.ts";

/** An OAuth client as it authenticates at a token endpoint. */
export interface OAuthClient {
  readonly id: string;
  readonly secret: string;
  /** The one before a recent change: tried where the server does not know the new one. */
  readonly previousSecret?: string | undefined;
  /** PEM; for private_key_jwt and client certificates. */
  readonly privateKey?: string | undefined;
  /** PEM. */
  readonly certificate?: string | undefined;
}

/** The client of a connection; throws integration_misconfigured where there is none. */
export function requireClient(subject: AuthSubject, credentials?: Credentials): OAuthClient {
  const client = findClient(subject, credentials);
  if (client !== undefined) return client;
  throw new AppError(
    "integration_misconfigured",
    `The integration has no OAuth client: set client_id and client_secret of ${subject.provider.display_name}.`,
  );
}

/** The client of a connection: the end user's own where there is one, else the integration's. */
export function findClient(
  { integrationCredentials: own, clientOverride }: AuthSubject,
  credentials?: Credentials,
): OAuthClient | undefined {
  const kept = credentials === undefined ? undefined : readOverride(credentials);
  const override = kept ?? clientOverride;
  const id = override?.client_id || own?.client_id;
  if (!id) return undefined;
  // The integration's secret is never sent with an id that is not its own.
  const isOwn = override?.client_id === undefined || override.client_id === own?.client_id;
  const usesOwnSecret = isOwn && override?.client_secret === undefined;
  return {
    id,
    secret: override?.client_secret ?? (isOwn ? (own?.client_secret ?? "") : ""),
    ...(usesOwnSecret ? { previousSecret: own?.previous_client_secret } : {}),
    ...(isOwn ? { privateKey: own?.client_private_key, certificate: own?.client_certificate } : {}),
  };
}

/** The `config_override` that a connection's credentials keep, or nothing. */
export function toConfigOverride(override: ClientOverride | undefined): {
  config_override?: ClientOverride;
} {
  if (!override?.client_id) return {};
  return { config_override: { ...override } };
}

/** What templates may name of the client. */
export function toClientValues(client: OAuthClient): Record<string, string> {
  return { id: client.id, secret: client.secret };
}
