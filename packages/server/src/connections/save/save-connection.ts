import { liftSecretConfig, type ProviderAccount, secretConfigOf } from "#auth-modes";
import { AppError, type ConnectionUuid, type EnvironmentContext, newRandomId } from "#foundation";
import { withTransaction } from "#foundation/db";
import { providerOf } from "#integrations";
import { enqueueTask } from "#tasks";
import { requireSameAccount } from "../account/require-same-account.ts";
import { accountTasks } from "../account/tasks.ts";
import type { Connection } from "../connection.ts";
import {
  connectionChecked,
  connectionCreated,
  connectionValidating,
  frozenCredentialsLeaving,
} from "../hooks.ts";
import { planIdleRefresh } from "../idle/idle-schedule.ts";
import { hashHeldToken } from "../revoke/held-token.ts";
import { openCredentials, sealCredentials } from "../sealed-credentials.ts";
import { sendAuthWebhook } from "../send-auth-webhook.ts";
import type { ConnectionInput, SavedConnection } from "./connection-input.ts";
import { requireRoom } from "./require-room.ts";
import {
  flagConnection,
  insertConnection,
  lockConnection,
  overrideConnection,
  removeConnection,
} from "./store.ts";

/** What the caller does along with the row, each in the transaction that it is named after. */
export interface SaveSteps {
  stored?(ctx: EnvironmentContext, saved: SavedConnection): Promise<void>;
  announced?(ctx: EnvironmentContext, saved: SavedConnection): Promise<void>;
}

/**
 * Creates the connection, or gives the one of that id new credentials; the hooks and the auth
 * webhook are part of the same transaction. Only where someone checks connections there are two
 * transactions: between them the row is there, but nobody has been notified.
 */
export async function saveConnection(
  ctx: EnvironmentContext,
  given: ConnectionInput,
  steps: SaveSteps = {},
): Promise<SavedConnection> {
  const input = liftSecrets(given);
  const account = await requireSameAccount(ctx, input);
  const uuid = newRandomId<ConnectionUuid>();
  // Before the transaction: the first seal of an environment also stores its data key.
  const sealed = await sealCredentials(ctx, uuid, input.minted.credentials);
  const heldTokenHash = await hashHeldToken(ctx, input.minted.credentials);
  const isChecked =
    input.minted.isPending !== true && (await ctx.hooks.ask(connectionChecked, ctx, input));
  const saved = await withTransaction(ctx, async (ctx) => {
    const saved = await insertOrOverride(ctx, input, { uuid, sealed, heldTokenHash, account });
    await planIdleRefresh(ctx, { ...input, ...saved }, input.minted);
    await steps.stored?.(ctx, saved);
    if (!isChecked) await announceConnection(ctx, input, { saved, steps });
    return saved;
  });
  if (isChecked) {
    await validateConnection(ctx, input, saved);
    await withTransaction(
      ctx,
      async (ctx) => await announceConnection(ctx, input, { saved, steps }),
    );
  }
  return saved;
}

/** Of a pending connection nobody but the caller learns before a webhook of the provider completes it. */
async function announceConnection(
  ctx: EnvironmentContext,
  { integration, operationId, minted, completes }: ConnectionInput,
  { saved, steps }: { saved: SavedConnection; steps: SaveSteps },
): Promise<void> {
  const { environment } = ctx;
  const operation = completes === true ? "creation" : saved.operation;
  const event = { connection: saved.connection, operation, integration };
  if (minted.isPending !== true) {
    await ctx.hooks.tell(connectionCreated, ctx, { ...event, environment });
    await sendAuthWebhook(ctx, { ...event, operationId });
    await planAccount(ctx, { integration, connection: saved.connection });
  }
  await steps.announced?.(ctx, saved);
}

/** Later, so that nobody who connects waits for it. */
async function planAccount(
  ctx: EnvironmentContext,
  {
    integration,
    connection: { uuid, account },
  }: Pick<ConnectionInput, "integration"> & Pick<SavedConnection, "connection">,
): Promise<void> {
  if (providerOf(integration).identity === undefined || account !== undefined) return;
  const { environment } = ctx;
  const options = { key: `account ${uuid}`, environmentId: environment.id };
  await enqueueTask(ctx, accountTasks.readAccount, { environment, connection: uuid }, options);
}

async function insertOrOverride(
  ctx: EnvironmentContext,
  input: ConnectionInput,
  fresh: {
    uuid: ConnectionUuid;
    sealed: Buffer;
    heldTokenHash: Buffer | null;
    account: ProviderAccount | undefined;
  },
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
    isPending: minted.isPending === true,
    account: fresh.account,
    heldTokenHash: fresh.heldTokenHash,
    credentialsIssuedAt: input.issuedAt,
    credentialsExpireAt: minted.expiresAt,
    // What was authorized or imported just now was never renewed.
    reauthorizeBy: minted.reauthorizeBy === "as_before" ? undefined : minted.reauthorizeBy,
    readThrough: input.readThrough,
    now: ctx.clock.now(),
  };
  // Two rounds: a connection of that id may appear between the look and the insert.
  for (const _round of [1, 2]) {
    const known = await lockConnection(ctx.db, environmentId, name);
    if (known === undefined) {
      await requireRoom(ctx);
      const connection = await insertConnection(ctx.db, environmentId, {
        ...values,
        uuid: fresh.uuid,
        sealedCredentials: fresh.sealed,
        connectionConfig: { ...input.connectionConfig, ...minted.capturedConfig },
      });
      if (connection !== undefined) return { connection, operation: "creation" };
    } else {
      if (known.frozen !== undefined) {
        const leaving = { connections: [known], integration };
        await ctx.hooks.tell(frozenCredentialsLeaving, ctx, leaving);
      }
      const connection = await overrideConnection(ctx.db, environmentId, {
        ...values,
        uuid: known.uuid,
        sealedCredentials: await sealOver(ctx, known, input),
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

/** Secret fields of the configuration are sealed with the credentials. */
function liftSecrets(input: ConnectionInput): ConnectionInput {
  const { minted, connectionConfig } = input;
  const provider = providerOf(input.integration);
  const own = liftSecretConfig(provider, {
    credentials: minted.credentials,
    config: connectionConfig ?? {},
  });
  const { credentials, config: capturedConfig } = liftSecretConfig(provider, {
    credentials: own.credentials,
    config: minted.capturedConfig,
  });
  return {
    ...input,
    minted: { ...minted, credentials, capturedConfig },
    ...(connectionConfig === undefined ? {} : { connectionConfig: own.config }),
  };
}

/** Where no configuration is given, the secret part of the old one stays too. */
async function sealOver(
  ctx: EnvironmentContext,
  known: Connection,
  { minted: { credentials }, connectionConfig }: ConnectionInput,
): Promise<Buffer> {
  const kept =
    connectionConfig === undefined
      ? // New credentials also help where the old ones can no longer be decrypted.
        await openCredentials(ctx, known).then(secretConfigOf, () => ({}))
      : {};
  const config = { ...kept, ...secretConfigOf(credentials) };
  return await sealCredentials(
    ctx,
    known.uuid,
    Object.keys(config).length === 0 ? credentials : { ...credentials, connection_config: config },
  );
}

/**
 * Runs the checks of connections. A new connection that is refused is removed; one that existed is
 * flagged, and the customer notified. Throws what the check threw.
 */
async function validateConnection(
  ctx: EnvironmentContext,
  input: Pick<ConnectionInput, "integration" | "operationId">,
  saved: SavedConnection,
): Promise<void> {
  const { integration } = input;
  const { environment } = ctx;
  try {
    await ctx.hooks.tell(connectionValidating, ctx, { ...saved, integration, environment });
  } catch (error) {
    await takeBack(ctx, input, { saved, error });
    throw error;
  }
}

async function takeBack(
  ctx: EnvironmentContext,
  { integration, operationId }: Pick<ConnectionInput, "integration" | "operationId">,
  { saved, error }: { saved: SavedConnection; error: unknown },
): Promise<void> {
  const { connection, operation } = saved;
  if (operation === "creation") {
    await removeConnection(ctx.db, ctx.environment.id, connection.uuid);
    return;
  }
  const type = error instanceof AppError ? error.code : "server_error";
  const description = error instanceof AppError ? error.message : "The check itself failed.";
  await withTransaction(ctx, async (ctx) => {
    if (operationId !== undefined) {
      await flagConnection(ctx.db, ctx.environment.id, connection.uuid, operationId);
    }
    await sendAuthWebhook(ctx, {
      operation,
      integration,
      connection,
      error: { type, description },
      operationId,
    });
  });
}
