import { functionLimits } from "@jackfield/contract/function-limits";
import type { RunError } from "@jackfield/contract/runtime";
import { type Connection, findConnectionByUuid } from "#connections";
import { findCachedEnvironment, getEnvironmentSettings, getWebhookTargets } from "#environments";
import {
  addMs,
  type EnvironmentContext,
  type EnvironmentId,
  HOUR,
  MINUTE,
  SECOND,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { findDatabaseAway, withTransaction } from "#foundation/db";
import { CallError } from "#foundation/sandbox";
import { type DeployedAction, findCachedFunctionById, findVersionFor } from "#functions";
import { findCachedIntegrationById, type Integration } from "#integrations";
import {
  completeKeyed,
  completingKeyed,
  type KeyedTaskLimits,
  type PayloadOf,
  postponeKeyed,
  type TaskHandlers,
} from "#tasks";
import { sendWebhook } from "#webhooks-out";
import type { ActionOutcome } from "../action-outcome.ts";
import { runAction } from "../run-action.ts";
import { openBytes, sealBytes, sealOutcome } from "./sealed.ts";
import { statusUrlOf } from "./start-async-action.ts";
import {
  awaitAttempt,
  type BegunAction,
  beginAsyncAction,
  endAsyncAction,
  endUntoldAction,
  giveBack,
  noteEffect,
} from "./store.ts";
import { actionTasks } from "./tasks.ts";

const MAX_WAIT_MS = functionLimits.asyncActionWaitMs.value;
/** A worker's death before anything has left is no failure until it has happened so often. */
const MAX_DEATHS = 5;
/** Waits before the repetitions that the caller has asked for (X-Max-Retries, 5 at most). */
const RETRY_AFTER_MS = [3 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE];

export const actionTaskHandlers: TaskHandlers<typeof actionTasks> = { run: runAsyncAction };

export const actionLimits: KeyedTaskLimits = {
  task: actionTasks.run,
  perSlot: 1,
  limitOf: async (system: SystemContext, id: EnvironmentId) => {
    const ctx = await enterEnvironment(system, id);
    // Actions of a deleted environment are claimed too, and given up then.
    if (ctx === undefined) return Number.POSITIVE_INFINITY;
    return (await getEnvironmentSettings(ctx)).async_action_limit;
  },
};

interface Subject {
  readonly fn: DeployedAction;
  readonly integration: Integration;
  readonly connection: Connection;
}

async function runAsyncAction(
  system: SystemContext,
  { environmentId, id }: PayloadOf<typeof actionTasks.run>,
): Promise<void> {
  const ctx = await enterEnvironment(system, environmentId);
  const action = ctx && (await beginAsyncAction(ctx.db, environmentId, id));
  if (ctx === undefined || action === undefined) return await completeKeyed(system, id);
  const subject = await findSubject(ctx, action);
  const isExpired = hasExpired(ctx, action);
  const outcome = isExpired ? expired : await execute(ctx, action, subject);
  if (outcome.kind === "failed" && ctx.signal.aborted) return await handBack(ctx, action);
  await endAttempt(ctx, { action, isExpired, subject, outcome });
}

async function enterEnvironment(
  ctx: SystemContext,
  id: EnvironmentId,
): Promise<EnvironmentContext | undefined> {
  const environment = await findCachedEnvironment(ctx, id);
  return environment && withEnvironment(ctx, environment);
}

/** Undefined when the connection, its integration or the function has gone since. */
async function findSubject(
  ctx: EnvironmentContext,
  { connectionUuid, functionId }: BegunAction,
): Promise<Subject | undefined> {
  const connection = await findConnectionByUuid(ctx, connectionUuid);
  if (connection === undefined) return undefined;
  const integration = await findCachedIntegrationById(ctx, connection.integrationId);
  const fn = await findCachedFunctionById(ctx, functionId);
  if (integration === undefined || fn?.type !== "action") return undefined;
  return { fn: await findVersionFor(ctx, fn, connectionUuid), integration, connection };
}

async function execute(
  ctx: EnvironmentContext,
  action: BegunAction,
  subject: Subject | undefined,
): Promise<ActionOutcome> {
  if (subject === undefined) return failed("script_aborted", "The connection has been deleted.");
  if (!subject.fn.enabled) return failed("script_aborted", "The action has been disabled.");
  if (action.hasEffects) {
    const message = "The server stopped while the action ran; it may have had effects.";
    return failed("action_outcome_unknown", message);
  }
  if (action.attempts > MAX_DEATHS) {
    const message = `The process that ran this action ended unexpectedly ${MAX_DEATHS} times.`;
    return failed("function_runtime_other", message);
  }
  try {
    const { id, input } = action;
    return await runAction(withJournal(ctx, action), {
      ...subject,
      input: input === null ? undefined : await openBytes(ctx, ["input", id], input),
      depth: 0,
      ...queuedFor(ctx, action),
      meta: { asyncAction: id, attempt: action.failures + 1 },
    });
  } catch (error) {
    // Not the action's failure: its job is tried again.
    if (findDatabaseAway(error) !== undefined) throw error;
    ctx.log.error("actions.async_failed", { id: action.id, error });
    return failed("server_error", "Something failed on our side; the server's log has it.");
  }
}

/** Nothing for a repeated attempt, which has waited on purpose. */
function queuedFor(ctx: EnvironmentContext, action: BegunAction): { queueMs?: number } {
  const { createdAt, attempts, failures } = action;
  if (attempts > 1 || failures > 0) return {};
  return { queueMs: Math.max(0, ctx.clock.now().getTime() - createdAt.getTime()) };
}

/** Only before it starts for the first time: what has begun is carried on. */
function hasExpired(
  ctx: EnvironmentContext,
  { createdAt, attempts, failures }: BegunAction,
): boolean {
  if (attempts > 1 || failures > 0) return false;
  return addMs(createdAt, MAX_WAIT_MS) < ctx.clock.now();
}

function failed(type: string, message: string): ActionOutcome {
  return { kind: "failed", error: { type, message } };
}

const expired = failed(
  "script_aborted",
  `The action waited longer than ${MAX_WAIT_MS / HOUR} hours in the queue and was not started.`,
);

/** What changes something outside is noted before it leaves; an attempt that was taken over may send nothing. */
function withJournal(ctx: EnvironmentContext, action: BegunAction): EnvironmentContext {
  let noted: Promise<boolean> | undefined;
  return {
    ...ctx,
    noteEffect: async () => {
      noted ??= noteEffect(ctx.db, ctx.environment.id, action);
      if (await noted) return;
      throw new CallError({
        type: "script_aborted",
        message: "Another worker has taken this action over; it may send nothing more.",
      });
    },
  };
}

async function handBack(ctx: EnvironmentContext, action: BegunAction): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    const isMine = await giveBack(ctx.db, ctx.environment.id, action);
    if (isMine) await postponeKeyed(ctx, action.id, ctx.clock.now());
  });
}

interface EndedAttempt {
  readonly action: BegunAction;
  /** It has waited too long, and was not started. */
  readonly isExpired: boolean;
  readonly subject: Subject | undefined;
  readonly outcome: ActionOutcome;
}

async function endAttempt(ctx: EnvironmentContext, ended: EndedAttempt): Promise<void> {
  const { action, isExpired, subject, outcome } = ended;
  const { id, failures, maxRetries } = action;
  const waitMs = RETRY_AFTER_MS[failures];
  const mayRepeat = !isExpired && subject?.fn.enabled === true && failures < maxRetries;
  if (outcome.kind === "failed" && mayRepeat && waitMs !== undefined) {
    await withTransaction(ctx, async (ctx) => {
      const attempt = { ...action, failures: failures + 1 };
      const isMine = await awaitAttempt(ctx.db, ctx.environment.id, attempt);
      if (isMine) await postponeKeyed(ctx, id, addMs(ctx.clock.now(), waitMs));
    });
    return;
  }
  const end = {
    ...action,
    state: outcome.kind === "done" ? ("success" as const) : ("failed" as const),
    outcome: await sealEnd(ctx, id, outcome),
    endedAt: ctx.clock.now(),
  };
  if (!subject?.connection.webhookUrlOverride) {
    if (await endUntoldAction(ctx.db, ctx.environment.id, end, completingKeyed(id))) return;
  }
  await withTransaction(ctx, async (ctx) => {
    if (!(await endAsyncAction(ctx.db, ctx.environment.id, end))) return;
    await completeKeyed(ctx, id);
    if (subject !== undefined) await notifyCustomer(ctx, id, subject);
  });
}

async function sealEnd(ctx: EnvironmentContext, id: string, outcome: ActionOutcome) {
  if (outcome.kind === "done") return await sealBytes(ctx, ["outcome", id], outcome.output);
  return await sealOutcome(ctx, id, withoutStack(outcome.error));
}

function withoutStack({ stack: _, ...error }: RunError): RunError {
  return error;
}

/** The same for both outcomes; the receiver asks for the result. */
async function notifyCustomer(
  ctx: EnvironmentContext,
  id: string,
  { connection, integration }: Subject,
): Promise<void> {
  const { settings, urls } = await getWebhookTargets(ctx);
  if (!settings.on_async_action_completion) return;
  if (urls.length === 0 && !connection.webhookUrlOverride) return;
  await sendWebhook(ctx, {
    type: "async_action",
    body: {
      from: "svc",
      type: "async_action",
      connectionId: connection.connectionId,
      providerConfigKey: integration.uniqueKey,
      payload: { id, statusUrl: statusUrlOf(id) },
    },
    connection: connection.uuid,
    overrideUrl: connection.webhookUrlOverride,
  });
}
