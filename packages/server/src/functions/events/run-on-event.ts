import { functionLimits } from "@jackfield/contract/function-limits";
import type { RunError } from "@jackfield/contract/runtime";
import { type Connection, subjectOf } from "#connections";
import { type EnvironmentContext, newTimeId, type RunId } from "#foundation";
import type { SandboxOutcome } from "#foundation/sandbox";
import type { Integration } from "#integrations";
import { beginOperation, finishOperation, toRunTimingMeta } from "#logs";
import { findVersionFor } from "../canary/active-canary.ts";
import type { DeployedFunctionOf, FunctionEvent } from "../deployed-function.ts";
import { listFunctions } from "../get-function.ts";
import { endStateOf } from "../run/end-state.ts";
import { type FunctionOutcome, runFunction } from "../run/run-function.ts";

export type OnEvent = DeployedFunctionOf<"on-event">;

export interface EventSubject {
  readonly integration: Integration;
  readonly connection: Connection;
}

const operations = {
  "post-connection-creation": "post_connection_creation",
  "pre-connection-deletion": "pre_connection_deletion",
  "validate-connection": "validate_connection",
} as const;

const START_TIMEOUT_MS = functionLimits.onEventStartMs.value;

/** The enabled functions of an integration for an event, by name. */
export async function listOnEvents(
  ctx: EnvironmentContext,
  integration: Pick<Integration, "id">,
  event: FunctionEvent,
): Promise<OnEvent[]> {
  const all = await listFunctions(ctx, { integration, type: "on-event" });
  return all.filter((fn) => fn.enabled && fn.definition.event === event);
}

/** Runs one function as an operation of its own; undefined when it went well. */
export async function runOnEvent(
  ctx: EnvironmentContext,
  fn: OnEvent,
  { integration, connection }: EventSubject,
  { queueMs }: { readonly queueMs?: number | undefined } = {},
): Promise<RunError | undefined> {
  const operation = beginOperation(ctx, {
    type: "events",
    action: operations[fn.definition.event],
    message: `${fn.definition.event}: ${fn.name}`,
    ...subjectOf(integration, connection),
    function: { id: fn.id, name: fn.name },
  });
  const outcome = await runFunction(ctx, {
    fn: await findVersionFor(ctx, fn, connection.uuid),
    integration,
    connection,
    kind: "on-event",
    runId: newTimeId<RunId>(ctx.clock.now()),
    operationId: operation.id,
    queueMs,
    timeoutMs: ctx.settings.functionTimeouts["on-event"],
    startTimeoutMs: START_TIMEOUT_MS,
    exclusive: true,
  }).catch((error: unknown): Partial<FunctionOutcome> & SandboxOutcome => {
    ctx.log.error("functions.on_event_failed", {
      functionId: fn.id,
      operationId: operation.id,
      error,
    });
    const message = "The function could not be run on the server's side.";
    return { kind: "failed", error: { type: "server_error", message } };
  });
  const meta = toRunTimingMeta(operation.id, outcome.timing);
  if (outcome.kind === "done") {
    finishOperation(ctx, operation, { state: "success", meta });
    return undefined;
  }
  const { type, message } = outcome.error;
  const state = endStateOf(outcome.error);
  finishOperation(ctx, operation, { state, meta, error: { type, message } });
  return outcome.error;
}
