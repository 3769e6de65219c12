import type { RunError } from "@jackfield/contract/runtime";
import { getWebhookTargets } from "#environments";
import type { EnvironmentContext } from "#foundation";
import { sendWebhook } from "#webhooks-out";
import {
  addResults,
  type Checkpoint,
  MANY_FAILURES,
  type ModelChanges,
  noChanges,
  quarantinedOf,
  type Run,
  type Sync,
} from "../sync.ts";
import type { RunSubject } from "./run-subject.ts";

interface EndedRun {
  readonly run: Run;
  readonly sync: Pick<Sync, "name" | "variant"> & Partial<Pick<Sync, "unfinished">>;
  /** Failures in a row, this one included. */
  readonly failures?: number;
  readonly subject: RunSubject;
  /** Undefined after a success. */
  readonly error: RunError | undefined;
  readonly checkpoints: { readonly from: Checkpoint | null; readonly to: Checkpoint | null };
}

/**
 * Reports to the customer what a run has changed, by model, or how it failed. Includes what earlier runs
 * changed that failed or were stopped.
 */
export async function sendSyncWebhooks(ctx: EnvironmentContext, ended: EndedRun): Promise<void> {
  const { settings } = await getWebhookTargets(ctx);
  if (ended.error !== undefined) {
    if (settings.on_sync_error) await send(ctx, ended, failureBody(ctx, ended, ended.error));
    return;
  }
  if (ended.run.trigger.by === "webhook" && !settings.on_webhook_sync_completion) return;
  const { since, untold = {} } = ended.sync.unfinished ?? {};
  const reported = addResults(untold, ended.run.result);
  const hasUntold = Object.values(untold).some(isChange);
  const startedAt = hasUntold ? since : ended.run.startedAt?.toISOString();
  for (const model of ended.subject.fn.definition.models) {
    const changes = reported[model] ?? noChanges;
    if (!isChange(changes) && !settings.on_sync_completion_always) continue;
    const { added, updated, deleted, quarantined } = changes;
    await send(ctx, ended, {
      ...commonBody(ended, model),
      success: true,
      modifiedAfter: startedAt,
      queryTimeStamp: startedAt,
      responseResults: { added, updated, deleted, ...quarantinedOf(quarantined) },
    });
  }
}

function isChange({ added, updated, deleted }: ModelChanges): boolean {
  return added + updated + deleted > 0;
}

function failureBody(ctx: EnvironmentContext, ended: EndedRun, { message, payload }: RunError) {
  const { failures = 0 } = ended;
  return {
    ...commonBody(ended, ended.subject.fn.definition.models.join(",")),
    success: false,
    error: {
      type: "script_error",
      description: message,
      ...(payload === undefined ? {} : { payload }),
    },
    startedAt: ended.run.startedAt?.toISOString(),
    failedAt: ctx.clock.now().toISOString(),
    ...(failures >= MANY_FAILURES ? { consecutive_failures: failures } : {}),
  };
}

function commonBody({ run, sync, subject, checkpoints }: EndedRun, model: string) {
  const usesCheckpoints = checkpoints.from !== null || checkpoints.to !== null;
  return {
    from: "svc",
    type: "sync",
    connectionId: subject.connection.connectionId,
    providerConfigKey: subject.integration.uniqueKey,
    syncName: sync.name,
    syncVariant: sync.variant,
    model,
    syncType: syncTypeOf(run),
    ...(usesCheckpoints ? { checkpoints } : {}),
  };
}

function syncTypeOf({ trigger, fullRun }: Run): "WEBHOOK" | "INITIAL" | "INCREMENTAL" {
  if (trigger.by === "webhook") return "WEBHOOK";
  return fullRun ? "INITIAL" : "INCREMENTAL";
}

async function send(ctx: EnvironmentContext, { run, subject }: EndedRun, body: object) {
  const { connection } = subject;
  await sendWebhook(ctx, {
    type: "sync",
    body: { ...body },
    connection: connection.uuid,
    overrideUrl: connection.webhookUrlOverride,
    operationId: run.operationId ?? undefined,
  });
}
