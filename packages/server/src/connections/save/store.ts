import type { AuthModeId } from "@jackfield/catalogue";
import { sql } from "kysely";
import type { ProviderAccount } from "#auth-modes";
import type { ConnectionUuid, EnvironmentId, OperationId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Connection } from "../connection.ts";
import {
  changeOf,
  columns,
  connectionTables,
  healthy,
  liveOf,
  toConnection,
  toDay,
} from "../store.ts";

/** The connection, locked until the transaction ends. */
export async function lockConnection(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, connectionId }: { integrationId: number; connectionId: string },
): Promise<Connection | undefined> {
  const row = await liveOf(db, environmentId)
    .where("integrationId", "=", integrationId)
    // As `connectionByNames` does.
    .where("connectionId", ">=", connectionId)
    .where("connectionId", "<=", connectionId)
    .orderBy("connectionId")
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? undefined : toConnection(row);
}

/** What a creation or an override writes; undefined fields keep what an existing row has. */
export interface ConnectionValues {
  readonly uuid: ConnectionUuid;
  readonly integrationId: number;
  readonly connectionId: string;
  readonly authMode: AuthModeId;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly tags: Readonly<Record<string, string>> | undefined;
  readonly connectionConfig: Readonly<Record<string, string>> | undefined;
  readonly webhookUrlOverride: string | undefined;
  readonly fromSession: boolean;
  readonly isPending: boolean;
  /** Undefined where nobody has asked. */
  readonly account: ProviderAccount | undefined;
  readonly sealedCredentials: Buffer;
  readonly heldTokenHash: Buffer | null;
  readonly credentialsIssuedAt: Date | undefined;
  readonly credentialsExpireAt: Date | undefined;
  readonly reauthorizeBy: Date | undefined;
  /** The old platform that refreshes the tokens; undefined where this server does. */
  readonly readThrough: string | undefined;
  readonly now: Date;
}

/** Adds the row; undefined when another call has just added one of that name. */
export async function insertConnection(
  db: Db,
  environmentId: EnvironmentId,
  values: ConnectionValues,
): Promise<Connection | undefined> {
  const row = await connectionTables(db)
    .insertInto("connections")
    .values({
      uuid: values.uuid,
      environmentId,
      integrationId: values.integrationId,
      connectionId: values.connectionId,
      authMode: values.authMode,
      metadata: JSON.stringify(values.metadata ?? {}),
      tags: JSON.stringify(values.tags ?? {}),
      connectionConfig: JSON.stringify(values.connectionConfig ?? {}),
      webhookUrlOverride: values.webhookUrlOverride || null,
      fromSession: values.fromSession,
      isPending: values.isPending,
      credentials: values.sealedCredentials,
      heldTokenHash: values.heldTokenHash,
      credentialsIssuedAt: values.credentialsIssuedAt ?? null,
      credentialsExpireAt: values.credentialsExpireAt ?? null,
      reauthorizeBy: values.reauthorizeBy ?? null,
      readThrough: values.readThrough ?? null,
      lastUsedOn: toDay(values.now),
      createdAt: values.now,
      updatedAt: values.now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["environmentId", "integrationId", "connectionId"])
        .where("deletedAt", "is", null)
        .doNothing(),
    )
    .returning(columns)
    .executeTakeFirst();
  return row === undefined ? undefined : toConnection(row);
}

/** New credentials for an existing row; a refresh that is still running finds its version gone. */
export async function overrideConnection(
  db: Db,
  environmentId: EnvironmentId,
  values: ConnectionValues,
): Promise<Connection | undefined> {
  const { metadata, tags, connectionConfig, webhookUrlOverride } = values;
  const row = await changeOf(db, environmentId, values.uuid)
    .set({
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
      ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
      ...(connectionConfig === undefined
        ? {}
        : { connectionConfig: JSON.stringify(connectionConfig) }),
      ...(webhookUrlOverride === undefined
        ? {}
        : { webhookUrlOverride: webhookUrlOverride || null }),
      authMode: values.authMode,
      fromSession: sql<boolean>`from_session or ${values.fromSession}`,
      isPending: values.isPending,
      credentials: values.sealedCredentials,
      heldTokenHash: values.heldTokenHash,
      credentialVersion: sql<number>`credential_version + 1`,
      // Where it was not asked for, another one may be behind them.
      account: values.account === undefined ? null : JSON.stringify(values.account),
      credentialsIssuedAt: values.credentialsIssuedAt ?? null,
      credentialsExpireAt: values.credentialsExpireAt ?? null,
      reauthorizeBy: values.reauthorizeBy ?? null,
      refreshFence: sql<number>`refresh_fence + 1`,
      refreshLeaseUntil: null,
      nextRefreshAt: null,
      frozenBy: null,
      frozenAt: null,
      readThrough: values.readThrough ?? null,
      updatedAt: values.now,
      ...healthy,
    })
    .returning(columns)
    .executeTakeFirst();
  return row === undefined ? undefined : toConnection(row);
}

/** Removes a row that nobody has been notified of. */
export async function removeConnection(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
): Promise<void> {
  await connectionTables(db)
    .deleteFrom("connections")
    .where("environmentId", "=", environmentId)
    .where("uuid", "=", uuid)
    .execute();
}

/** Shows an error of authorization on the connection, with the operation that tells of it. */
export async function flagConnection(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
  operationId: OperationId,
): Promise<void> {
  const errors = JSON.stringify([{ type: "auth", log_id: operationId }]);
  await changeOf(db, environmentId, uuid).set({ errors }).execute();
}
