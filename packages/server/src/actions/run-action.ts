import type { Connection } from "#connections";
import { type EnvironmentContext, newTimeId, type OperationId, type RunId } from "#foundation";
import { type DeployedAction, endStateOf, runFunction } from "#functions";
import type { Integration } from "#integrations";
import { beginOperation, finishOperation, toRunTimingMeta } from "#logs";
import type { RunCaller, RunEgress } from "#slice";
import { type ActionOutcome, toActionOutcome, toLoggedError } from "./action-outcome.ts";

export interface ActionRun {
  readonly fn: DeployedAction;
  readonly integration: Integration;
  readonly connection: Connection;
  readonly input: Uint8Array | undefined;
  readonly depth: number;
  /** Milliseconds that it has waited in a queue; 0 unless given. */
  readonly queueMs?: number;
  /** Milliseconds for which it may wait for a process; as long as it takes unless given. */
  readonly startTimeoutMs?: number;
  /** Whether it may only read, also where its author does not say so. */
  readonly readsOnly?: boolean | undefined;
  /** Of the function that calls it. */
  readonly outerEgress?: RunEgress | undefined;
  readonly proxyOnly?: boolean | undefined;
  /** Hears of the run while it continues; of it alone, not of actions that it calls. */
  readonly caller?: RunCaller | undefined;
  /** Shown with the operation. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Runs an action to its end as an operation of its own. */
export async function runAction(ctx: EnvironmentContext, run: ActionRun): Promise<ActionOutcome> {
  const startedAt = ctx.clock.now();
  const operationId = newTimeId<OperationId>(startedAt);
  // In the log as running, for who reads along.
  const begun = beginOperation(ctx, describeOperation(run), { id: operationId });
  try {
    const runId = newTimeId<RunId>(startedAt);
    const limits = { timeoutMs: ctx.settings.functionTimeouts.action, exclusive: false };
    const ended = await runFunction(ctx, { ...run, ...limits, kind: "action", runId, operationId });
    const outcome = await toActionOutcome(ended, ctx.settings.actionValueLimitBytes);
    const meta = toRunTimingMeta(operationId, ended.timing);
    if (outcome.kind === "done") {
      finishOperation(ctx, begun, { state: "success", meta });
    } else {
      const { error } = outcome;
      const end = { state: endStateOf(error), error: toLoggedError(error) };
      finishOperation(ctx, begun, { ...end, meta });
    }
    return outcome;
  } catch (thrown) {
    const error = { type: "server_error", message: "The action failed on the server's side." };
    finishOperation(ctx, begun, { state: "failed", error });
    throw thrown;
  }
}

function describeOperation({ fn, integration, connection, meta }: ActionRun) {
  const { id, uniqueKey, provider } = integration;
  return {
    type: "action",
    action: "run",
    message: `Action ${fn.name}`,
    integration: { id, name: uniqueKey, provider },
    connection: { id: connection.id, name: connection.connectionId },
    function: { id: fn.id, name: fn.name },
    ...(meta && { meta }),
  } as const;
}
