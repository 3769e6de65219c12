import type { connection as connectionSchema } from "@jackfield/contract";
import type { input } from "zod";
import { type Credentials, secretConfigOf, splitSecretConfig } from "#auth-modes";
import { type Actor, holdsScope } from "#foundation";
import { findProviderOf, type Integration } from "#integrations";
import type { Connection } from "../connection.ts";
import { presentEndUser } from "../end-user.ts";
import type { ConnectionHealth } from "../health/connection-state.ts";
import { stageFieldsOf } from "./stage-fields.ts";

export type ConnectionBody = input<typeof connectionSchema>;

export interface PresentedConnection {
  readonly connection: Connection;
  readonly integration: Pick<Integration, "uniqueKey" | "provider"> &
    Partial<Pick<Integration, "definition">>;
  /** Left out of the answer when undefined. */
  readonly credentials?: Credentials | undefined;
  readonly withRefreshToken?: boolean | undefined;
  readonly health?: ConnectionHealth | undefined;
  /** With the stage and the provider's answer of each error. */
  readonly withErrorDetails?: boolean | undefined;
}

/** Whether credentials may be shown to the caller. */
export function mayReadCredentials(actor: Actor): boolean {
  if (actor.kind === "function") return true;
  // Secrets do not come with a page: a user reveals one at a time.
  if (actor.kind === "user") return false;
  return holdsScope(actor, "environment:connections:read_credentials");
}

/** The public shape; the only place where a connection's secrets may leave. */
export function presentConnection({
  connection,
  integration,
  credentials,
  health,
  withRefreshToken = false,
  withErrorDetails = false,
}: PresentedConnection): ConnectionBody {
  const createdAt = connection.createdAt.toISOString();
  const { config, credentials: readable } = withoutSecrets(connection, integration, credentials);
  return {
    id: connection.id,
    connection_id: connection.connectionId,
    provider_config_key: integration.uniqueKey,
    provider: integration.provider,
    errors: connection.errors.map((error) => ({
      type: error.type,
      log_id: error.log_id,
      ...(error.sync === undefined ? {} : { sync: error.sync }),
      ...(withErrorDetails ? stageFieldsOf(error) : {}),
    })),
    end_user: presentEndUser(connection.tags),
    metadata: connection.metadata ?? null,
    tags: { ...connection.tags },
    connection_config: config,
    created: createdAt,
    created_at: createdAt,
    updated_at: connection.updatedAt.toISOString(),
    webhook_url_override: connection.webhookUrlOverride ?? null,
    has_webhook_secret: connection.sealedWebhookSecret !== undefined,
    account: presentAccount(connection),
    frozen_by: connection.frozen?.by ?? null,
    read_through: connection.readThrough ?? null,
    last_fetched_at: connection.lastFetchedAt?.toISOString() ?? null,
    ...(health === undefined ? {} : { health }),
    ...(readable === undefined
      ? {}
      : { credentials: asAnswered(withRefreshToken ? readable : withoutRefreshTokens(readable)) }),
  };
}

/** Who the connection is at its provider; null where the provider has not said. */
function presentAccount({ account }: Connection): ConnectionBody["account"] {
  if (account === undefined) return null;
  const { id, label, email, workspace } = account;
  return { id, label: label ?? null, email: email ?? null, workspace: workspace ?? null };
}

// Each auth mode makes them in the shape that the contract describes for its type; tests compare answers with it.
function asAnswered(credentials: object): ConnectionBody["credentials"] {
  return credentials as ConnectionBody["credentials"];
}

/**
 * Secrets of the configuration are shown with the credentials or not at all. Connections of an older release may have
 * some that are stored in the open.
 */
function withoutSecrets(
  { connectionConfig }: Connection,
  { provider, definition }: PresentedConnection["integration"],
  credentials: Credentials | undefined,
) {
  const found = findProviderOf({ provider, definition });
  const { open, secret } = splitSecretConfig(found, connectionConfig);
  const config = { ...open };
  if (credentials === undefined || open === connectionConfig) return { config, credentials };
  const kept = { ...secretConfigOf(credentials), ...secret };
  return { config, credentials: { ...credentials, connection_config: kept } };
}

const refreshTokenName = /refresh[_-]?token(?!.*expir)/i;

/** Without anything that is named like a refresh token, at any depth. */
function withoutRefreshTokens(credentials: object): Record<string, unknown> {
  const kept = Object.entries(credentials).filter(([name]) => !refreshTokenName.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, pruned(value)]));
}

function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  return typeof value === "object" && value !== null ? withoutRefreshTokens(value) : value;
}
