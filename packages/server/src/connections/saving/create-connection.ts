import { randomUUID } from "node:crypto";
import { hasScope } from "@jackfield/contract";
import { type Credentials, getAuthMode, stageFactsOf } from "#auth-modes";
import { type Integration, toAuthSubject } from "#integrations";
import { finishOperation, startOperation } from "#logs";
import {
  AppError,
  type EnvironmentContext,
  invalidFields,
  messageOf,
  type OperationId,
} from "#platform";
import { newAuthTools } from "../new-auth-tools.ts";
import { requireSmall } from "../require-small.ts";
import { requireStorableJson } from "../require-storable-json.ts";
import { findConnection } from "../store.ts";
import { subjectOf } from "../subject-of.ts";
import { requireFittingConfig } from "./require-fitting-config.ts";
import { type ConnectionInput, type SavedConnection, saveConnection } from "./save-connection.ts";

export interface ImportedConnection {
  readonly integration: Integration;
  /** A random one when undefined. */
  readonly connectionId: string | undefined;
  readonly credentials: Credentials;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly connectionConfig: Readonly<Record<string, string>> | undefined;
  readonly tags: Readonly<Record<string, string>> | undefined;
  readonly webhookUrlOverride: string | undefined;
}

/**
 * Imports credentials that the customer holds, as a new connection or over the one of that id, which needs the scope
 * of a change: throws forbidden.
 */
export async function createConnection(
  ctx: EnvironmentContext,
  input: ImportedConnection,
): Promise<SavedConnection> {
  const { integration, connectionId = randomUUID() } = input;
  if (input.connectionId !== undefined) await requireFree(ctx, integration, input.connectionId);
  requireSmall(ctx, "metadata", input.metadata);
  requireSmall(ctx, "configuration", input.connectionConfig);
  requireStorableJson([input.metadata, input.connectionConfig, input.tags]);
  if (input.webhookUrlOverride) await ctx.http.requireAllowedUrl(input.webhookUrlOverride);
  const operationId = await startOperation(ctx, {
    type: "auth",
    action: "create_connection",
    message: `Import connection ${connectionId}`,
    ...subjectOf(integration),
  });
  try {
    const saved = await acceptAndSave(ctx, { ...input, connectionId }, operationId);
    const { operation, connection } = saved;
    const meta = { operation, connection_id: connection.connectionId };
    await finishOperation(ctx, { id: operationId, state: "success", meta });
    return saved;
  } catch (error) {
    const type = error instanceof AppError ? error.code : "server_error";
    const message = error instanceof AppError ? messageOf(error) : "Something failed on our side.";
    const facts = stageFactsOf(error);
    const told = { type, message, ...facts };
    await finishOperation(ctx, { id: operationId, state: "failed", error: told });
    const isShown = error instanceof AppError && facts !== undefined;
    throw isShown
      ? new AppError(error.code, message, { details: [{ ...facts }], cause: error })
      : error;
  }
}

async function acceptAndSave(
  ctx: EnvironmentContext,
  input: ImportedConnection & { readonly connectionId: string },
  operationId: OperationId,
): Promise<SavedConnection> {
  const { integration, credentials, connectionConfig } = input;
  const subject = await toAuthSubject(ctx, integration, connectionConfig ?? {});
  const mode = getAuthMode(subject.provider.auth_mode);
  if (credentials.type !== mode.id) {
    const message = `must be \`${mode.id}\`, the type that ${integration.provider} takes, not \`${credentials.type}\``;
    throw invalidFields("invalid_body", [{ path: ["credentials", "type"], message }]);
  }
  requireFittingConfig(subject.provider, connectionConfig ?? {});
  const tools = newAuthTools(ctx, integration, ctx.signal);
  const minted = await mode.accept(subject, credentials, tools);
  const saving: ConnectionInput = {
    integration,
    connectionId: input.connectionId,
    authMode: subject.provider.auth_mode,
    minted,
    issuedAt: minted.issuedAt,
    metadata: input.metadata,
    tags: input.tags,
    connectionConfig,
    webhookUrlOverride: input.webhookUrlOverride,
    fromSession: false,
    operationId,
  };
  return await saveConnection(ctx, saving, {
    async stored(ctx, { operation }) {
      if (operation === "override" && !mayOverride(ctx)) throw refuseOverride(input.connectionId);
    },
  });
}

/** Before the provider is asked about credentials that would not be kept. */
async function requireFree(
  ctx: EnvironmentContext,
  { id: integrationId }: Integration,
  connectionId: string,
): Promise<void> {
  if (mayOverride(ctx)) return;
  const known = await findConnection(ctx.db, ctx.environment.id, { integrationId, connectionId });
  if (known !== undefined) throw refuseOverride(connectionId);
}

/** New credentials for an existing connection are a change of it. */
function mayOverride({ actor }: EnvironmentContext): boolean {
  return actor.kind !== "key" || hasScope(actor.scopes, "environment:connections:update");
}

function refuseOverride(connectionId: string): AppError {
  return new AppError(
    "forbidden",
    `The connection ${connectionId} exists; new credentials for it need the scope \`environment:connections:update\`, which the API key lacks.`,
  );
}
