import type { WebhookSettings } from "@jackfield/contract";
import type { EnvironmentId } from "#foundation";
import { type Db, runNamed } from "#foundation/db";

interface WebhookSettingsRow {
  environmentId: EnvironmentId;
  primaryUrl: string;
  secondaryUrl: string;
  onSyncCompletionAlways: boolean;
  onAuthCreation: boolean;
  onAuthRefreshError: boolean;
  onSyncError: boolean;
  onAsyncActionCompletion: boolean;
  onWebhookSyncCompletion: boolean;
  onAuditSeal: boolean;
  forward: boolean;
  onProblem: boolean;
  onAgentApproval: boolean;
  onAgentToolChanged: boolean;
  onCanary: boolean;
  updatedAt: Date;
}

type WebhookTables = {
  webhookSettings: WebhookSettingsRow;
  webhookSigningKeys: {
    id: string;
    environmentId: EnvironmentId;
    key: Buffer;
    createdAt: Date;
    expiresAt: Date | null;
  };
};

function tables(db: Db) {
  return db.withTables<WebhookTables>();
}

export async function findWebhookSettings(
  db: Db,
  environmentId: EnvironmentId,
): Promise<WebhookSettings | undefined> {
  const query = tables(db)
    .selectFrom("webhookSettings")
    .selectAll()
    .where("environmentId", "=", environmentId);
  const [row] = await runNamed(db, "webhook_settings_find", query);
  return row === undefined ? undefined : fromRow(row);
}

export async function updateWebhookSettingsRow(
  db: Db,
  environmentId: EnvironmentId,
  change: { [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined },
  updatedAt: Date,
): Promise<void> {
  const columns = {
    primaryUrl: change.primary_url,
    secondaryUrl: change.secondary_url,
    onSyncCompletionAlways: change.on_sync_completion_always,
    onAuthCreation: change.on_auth_creation,
    onAuthRefreshError: change.on_auth_refresh_error,
    onSyncError: change.on_sync_error,
    onAsyncActionCompletion: change.on_async_action_completion,
    onWebhookSyncCompletion: change.on_webhook_sync_completion,
    onAuditSeal: change.on_audit_seal,
    forward: change.forward,
    onProblem: change.on_problem,
    onAgentApproval: change.on_agent_approval,
    onAgentToolChanged: change.on_agent_tool_changed,
    onCanary: change.on_canary,
  };
  const given = Object.fromEntries(
    Object.entries(columns).filter(([, value]) => value !== undefined),
  );
  await tables(db)
    .updateTable("webhookSettings")
    .set({ ...given, updatedAt })
    .where("environmentId", "=", environmentId)
    .execute();
}

function fromRow(row: WebhookSettingsRow): WebhookSettings {
  return {
    primary_url: row.primaryUrl,
    secondary_url: row.secondaryUrl,
    on_sync_completion_always: row.onSyncCompletionAlways,
    on_auth_creation: row.onAuthCreation,
    on_auth_refresh_error: row.onAuthRefreshError,
    on_sync_error: row.onSyncError,
    on_async_action_completion: row.onAsyncActionCompletion,
    on_webhook_sync_completion: row.onWebhookSyncCompletion,
    on_audit_seal: row.onAuditSeal,
    forward: row.forward,
    on_problem: row.onProblem,
    on_agent_approval: row.onAgentApproval,
    on_agent_tool_changed: row.onAgentToolChanged,
    on_canary: row.onCanary,
  };
}

export async function insertSigningKey(
  db: Db,
  row: { id: string; environmentId: EnvironmentId; key: Buffer; createdAt: Date },
): Promise<void> {
  await tables(db)
    .insertInto("webhookSigningKeys")
    .values({ ...row, expiresAt: null })
    .execute();
}

export async function listSigningKeyRows(
  db: Db,
  environmentId: EnvironmentId,
  now: Date,
): Promise<{ id: string; key: Buffer; createdAt: Date; expiresAt: Date | null }[]> {
  return await tables(db)
    .selectFrom("webhookSigningKeys")
    .select(["id", "key", "createdAt", "expiresAt"])
    .where("environmentId", "=", environmentId)
    .where((where) => where.or([where("expiresAt", "is", null), where("expiresAt", ">", now)]))
    .orderBy("createdAt", "desc")
    .orderBy("expiresAt", (order) => order.desc().nullsFirst())
    .execute();
}

/** Ends every key that has no end yet, and forgets those that have ended. */
export async function endSigningKeys(
  db: Db,
  environmentId: EnvironmentId,
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<void> {
  await tables(db)
    .updateTable("webhookSigningKeys")
    .set({ expiresAt })
    .where("environmentId", "=", environmentId)
    .where((where) =>
      where.or([where("expiresAt", "is", null), where("expiresAt", ">", expiresAt)]),
    )
    .execute();
  await tables(db)
    .deleteFrom("webhookSigningKeys")
    .where("environmentId", "=", environmentId)
    .where("expiresAt", "<=", now)
    .execute();
}
