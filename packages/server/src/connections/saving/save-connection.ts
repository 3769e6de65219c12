import type { AuthModeId } from "@jackfield/catalogue";
import type { Minted } from "#auth-modes";
import type { Integration } from "#integrations";
import {
  AppError,
  type ConnectionUuid,
  type EnvironmentContext,
  newRandomId,
  type OperationId,
} from "#platform";
import { withTransaction } from "#platform/db";
import type { Connection } from "../connection.ts";
import { connectionCreated } from "../hooks.ts";
import { sealCredentials } from "../sealed-credentials.ts";
import { sendAuthWebhook } from "../send-auth-webhook.ts";
import { insertConnection, lockConnection, overrideConnection } from "./store.ts";

export interface ConnectionInput {
  readonly integration: Integration;
  readonly connectionId: string;
  readonly authMode: AuthModeId;
  readonly minted: Minted;
  /** When the provider issued the credentials; undefined when they are older than this call. */
  readonly issuedAt?: Date | undefined;
  // Left undefined, each of these keeps what a connection of that id already has.
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly connectionConfig?: Readonly<Record<string, string>> | undefined;
  /** Empty: none. */
  readonly webhookUrlOverride?: string | undefined;
  readonly fromSession: boolean;
  readonly operationId?: OperationId | undefined;
}

export interface SavedConnection {
  readonly connection: Connection;
  readonly operation: "creation" | "override";
}

/**
 * Creates the connection, or gives the one of that id new credentials; those who react and the auth
 * webhook are part of the same transaction.
 */
export async function saveConnection(
  ctx: EnvironmentContext,
  input: ConnectionInput,
): Promise<SavedConnection> {
  const uuid = newRandomId<ConnectionUuid>();
  // Before the transaction: the first seal of an environment also stores its data key.
  const sealed = await sealCredentials(ctx, uuid, input.minted.credentials);
  return await withTransaction(ctx, async (ctx) => {
    const saved = await insertOrOverride(ctx, input, { uuid, sealed });
    const { connection, operation } = saved;
    const { integration, operationId } = input;
    const { environment } = ctx;
    await ctx.hooks.tell(connectionCreated, ctx, {
      connection,
      integration,
      operation,
      environment,
    });
    await sendAuthWebhook(ctx, { operation, integration, connection, operationId });
    return saved;
  });
}

async function insertOrOverride(
  ctx: EnvironmentContext,
  input: ConnectionInput,
  fresh: { uuid: ConnectionUuid; sealed: Buffer },
): Promise<SavedConnection> {
  const { integration, connectionId, minted } = input;
  const name = { integrationId: integration.id, connectionId };
  const environmentId = ctx.environment.id;
  const values = {
    ...name,
    authMode: input.authMode,
    metadata: input.metadata,
    tags: input.tags,
    webhookUrlOverride: input.webhookUrlOverride,
    fromSession: input.fromSession,
    credentialsIssuedAt: input.issuedAt,
    credentialsExpireAt: minted.expiresAt,
    now: ctx.clock.now(),
  };
  // Two rounds: a connection of that id may appear between the look and the insert.
  for (const _round of [1, 2]) {
    const known = await lockConnection(ctx.db, environmentId, name);
    if (known === undefined) {
      const connection = await insertConnection(ctx.db, environmentId, {
        ...values,
        uuid: fresh.uuid,
        sealedCredentials: fresh.sealed,
        connectionConfig: { ...input.connectionConfig, ...minted.capturedConfig },
      });
      if (connection !== undefined) return { connection, operation: "creation" };
    } else {
      const connection = await overrideConnection(ctx.db, environmentId, {
        ...values,
        uuid: known.uuid,
        sealedCredentials: await sealCredentials(ctx, known.uuid, minted.credentials),
        connectionConfig: {
          ...(input.connectionConfig ?? known.connectionConfig),
          ...minted.capturedConfig,
        },
      });
      if (connection !== undefined) return { connection, operation: "override" };
    }
  }
  throw new AppError("conflict", `Connection ${connectionId} is being changed; try again.`);
}
