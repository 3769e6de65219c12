import { randomUUID } from "node:crypto";
import type { Provider } from "@jackfield/catalogue";
import { type Credentials, getAuthMode, stageFactsOf, withoutDiscovered } from "#auth-modes";
import {
  AppError,
  type EnvironmentContext,
  holdsScope,
  invalidFields,
  messageOf,
  type OperationId,
} from "#foundation";
import {
  findConfigFault,
  type Integration,
  liftCredentials,
  providerOf,
  takeAliases,
  toAuthSubject,
  trimFieldValue,
} from "#integrations";
import { beginOperation, finishOperation } from "#logs";
import type { Connection } from "../connection.ts";
import { newAuthTools } from "../new-auth-tools.ts";
import { findConnection } from "../store.ts";
import { subjectOf } from "../subject-of.ts";
import type { ConnectionInput, SavedConnection } from "./connection-input.ts";
import { requireSmall } from "./require-small.ts";
import { requireStorableJson } from "./require-storable-json.ts";
import { saveConnection } from "./save-connection.ts";

export interface ImportedConnection {
  readonly integration: Integration;
  /** A random one when undefined. */
  readonly connectionId: string | undefined;
  readonly credentials: Credentials;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly connectionConfig: Readonly<Record<string, string>> | undefined;
  readonly tags: Readonly<Record<string, string>> | undefined;
  readonly webhookUrlOverride: string | undefined;
  readonly mayChangeAccount?: boolean | undefined;
  /** The old platform that refreshes the tokens. */
  readonly readThrough?: string | undefined;
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
  const known =
    input.connectionId === undefined
      ? undefined
      : await findFree(ctx, integration, input.connectionId);
  requireSmall(ctx, "metadata", input.metadata);
  requireSmall(ctx, "configuration", input.connectionConfig);
  requireStorableJson([input.metadata, input.connectionConfig, input.tags]);
  if (input.webhookUrlOverride) await ctx.http.requireAllowedUrl(input.webhookUrlOverride);
  const begun = beginOperation(ctx, {
    type: "auth",
    action: "create_connection",
    message: `Import connection ${connectionId}`,
    ...subjectOf(integration),
  });
  try {
    const saved = await acceptAndSave(ctx, { ...input, connectionId, known }, begun.id);
    const { operation, connection } = saved;
    const meta = { operation, connection_id: connection.connectionId };
    finishOperation(ctx, begun, { state: "success", meta });
    return saved;
  } catch (error) {
    const type = error instanceof AppError ? error.code : "server_error";
    const message = error instanceof AppError ? messageOf(error) : "Something failed on our side.";
    const facts = stageFactsOf(error);
    const reported = { type, message, ...facts };
    finishOperation(ctx, begun, { state: "failed", error: reported });
    const isShown = error instanceof AppError && error.details === undefined && facts !== undefined;
    throw isShown
      ? new AppError(error.code, message, { details: [{ ...facts }], cause: error })
      : error;
  }
}

async function acceptAndSave(
  ctx: EnvironmentContext,
  input: ImportedConnection & {
    readonly connectionId: string;
    readonly known: Connection | undefined;
  },
  operationId: OperationId,
): Promise<SavedConnection> {
  const { integration, known } = input;
  const provider = providerOf(integration);
  const { credentials, connectionConfig: named } = toOwnNames(input);
  const connectionConfig = named && fitConfig(provider, named);
  const kept = known?.connectionConfig ?? {};
  const config = connectionConfig ?? withoutDiscovered(provider, kept);
  const subject = {
    ...(await toAuthSubject(ctx, integration, config)),
    keptConfig: kept,
  };
  const mode = getAuthMode(subject.provider.auth_mode);
  if (credentials.type !== mode.id) {
    const message = `must be \`${mode.id}\`, the type that ${integration.provider} takes, not \`${credentials.type}\``;
    throw invalidFields("invalid_body", [{ path: ["credentials", "type"], message }]);
  }
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
    mayChangeAccount: input.mayChangeAccount,
    readThrough: input.readThrough,
    fromSession: false,
    operationId,
  };
  return await saveConnection(ctx, saving, {
    async stored(ctx, { operation }) {
      if (operation === "override" && !mayOverride(ctx)) throw refuseOverride(input.connectionId);
    },
  });
}

/** Under the entry's own names; throws invalid_body where two names of one field have different values. */
function toOwnNames({ integration, credentials, connectionConfig }: ImportedConnection) {
  if (connectionConfig === undefined) return { credentials, connectionConfig };
  const provider = providerOf(integration);
  const lifted = liftCredentials(provider, { credentials, config: connectionConfig });
  const { config, faults } = takeAliases(provider, lifted.config);
  const reported = [...lifted.faults, ...faults].map(({ path, message }) => ({
    path: ["connection_config", ...path],
    message,
  }));
  if (reported.length > 0) throw invalidFields("invalid_body", reported);
  return { credentials: lifted.credentials, connectionConfig: config };
}

/** The connection that the import overrides; throws before the provider is asked about credentials that would not be kept. */
async function findFree(
  ctx: EnvironmentContext,
  { id: integrationId }: Integration,
  connectionId: string,
): Promise<Connection | undefined> {
  const known = await findConnection(ctx.db, ctx.environment.id, { integrationId, connectionId });
  if (known !== undefined && !mayOverride(ctx)) throw refuseOverride(connectionId);
  return known;
}

/** New credentials for an existing connection are a change of it. */
function mayOverride({ actor }: EnvironmentContext): boolean {
  const hasScopes = actor.kind === "key" || actor.kind === "user";
  return !hasScopes || holdsScope(actor, "environment:connections:update");
}

function refuseOverride(connectionId: string): AppError {
  return new AppError(
    "forbidden",
    `The connection ${connectionId} exists; new credentials for it need the scope \`environment:connections:update\`, which the API key lacks.`,
  );
}

type Values = Readonly<Record<string, string>>;

/**
 * Values of an import as the form would take them, without prefix and suffix of their fields. Refuses those that the
 * entry's fields rule out, those that the server would fill among them: some choose the host that gets the
 * integration's client secret. None has to be there. Throws invalid_body.
 */
function fitConfig(provider: Provider, config: Values): Values {
  const fitting = Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      const field = provider.connection_config[name];
      return [name, field === undefined ? value : trimFieldValue(field, value)];
    }),
  );
  const faults = Object.entries(fitting).flatMap(([name, value]) => {
    const message = findConfigFault(provider, name, value);
    return message === undefined ? [] : [{ message, path: ["connection_config", name] }];
  });
  if (faults.length > 0) throw invalidFields("invalid_body", faults);
  return fitting;
}
