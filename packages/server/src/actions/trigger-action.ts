import { type Connection, getConnection } from "#connections";
import {
  type DeployedAction,
  endStateOf,
  findFunction,
  runFunction,
  VALUE_LIMIT_BYTES,
} from "#functions";
import { getIntegration, type Integration } from "#integrations";
import { recordOperation } from "#logs";
import {
  AppError,
  type EnvironmentContext,
  MINUTE,
  newTimeId,
  type OperationId,
  type RunId,
} from "#platform";
import { type ActionOutcome, toActionOutcome, toLoggedError } from "./action-outcome.ts";
import { toActionError } from "./to-action-error.ts";

const TIME_LIMIT_MS = 15 * MINUTE;

export interface ActionTrigger {
  readonly integrationKey: string;
  readonly connectionId: string;
  readonly actionName: string;
  /** Any JSON value, passed as it is; undefined for none. */
  readonly input: unknown;
}

/**
 * Runs an action in this process's sandbox and resolves to its output as JSON text, for up to 15 minutes. A caller
 * that goes away (`ctx.signal`) cancels the run: nobody is left to read the output, and calls that the action has
 * already made stay made. The operation then ends as `cancelled`.
 */
export async function triggerAction(
  ctx: EnvironmentContext,
  trigger: ActionTrigger,
): Promise<Uint8Array> {
  const input = encodeInput(trigger.input);
  const { connectionId, actionName } = trigger;
  const integration = await getIntegration(ctx, trigger.integrationKey);
  const connection = await getConnection(ctx, { integration, connectionId });
  const fn = await requireAction(ctx, integration, actionName);
  const outcome = await runAction(ctx, { fn, integration, connection, input });
  if (outcome.kind === "failed") throw toActionError(outcome.error);
  return outcome.output;
}

async function requireAction(
  ctx: EnvironmentContext,
  integration: Integration,
  name: string,
): Promise<DeployedAction> {
  const fn = await findFunction(ctx, { integration, type: "action", name });
  if (fn === undefined) {
    throw new AppError(
      "not_found",
      `The integration "${integration.uniqueKey}" has no action "${name}"; deploy it or check its name.`,
    );
  }
  if (fn.enabled) return fn;
  throw new AppError("disabled_resource", `The action "${name}" is disabled; enable it first.`);
}

interface ActionRun {
  readonly fn: DeployedAction;
  readonly integration: Integration;
  readonly connection: Connection;
  readonly input: Uint8Array | undefined;
}

async function runAction(ctx: EnvironmentContext, run: ActionRun): Promise<ActionOutcome> {
  const startedAt = ctx.clock.now();
  const operationId = newTimeId<OperationId>(startedAt);
  const operation = { ...describeOperation(run), id: operationId, startedAt };
  try {
    const runId = newTimeId<RunId>(startedAt);
    const limits = { timeoutMs: TIME_LIMIT_MS, exclusive: false };
    const outcome = toActionOutcome(
      await runFunction(ctx, { ...run, ...limits, kind: "action", runId, operationId }),
    );
    if (outcome.kind === "done") {
      recordOperation(ctx, { ...operation, state: "success" });
    } else {
      const { error } = outcome;
      recordOperation(ctx, { ...operation, state: endStateOf(error), error: toLoggedError(error) });
    }
    return outcome;
  } catch (thrown) {
    const error = { type: "server_error", message: "The action failed on the server's side." };
    recordOperation(ctx, { ...operation, state: "failed", error });
    throw thrown;
  }
}

function describeOperation({ fn, integration, connection }: ActionRun) {
  const { id, uniqueKey, provider } = integration;
  return {
    type: "action",
    action: "run",
    message: `Action ${fn.name}`,
    integration: { id, name: uniqueKey, provider },
    connection: { id: connection.id, name: connection.connectionId },
    function: { id: fn.id, name: fn.name },
  } as const;
}

function encodeInput(input: unknown): Uint8Array | undefined {
  if (input === undefined) return undefined;
  const bytes = Buffer.from(JSON.stringify(input));
  if (bytes.byteLength <= VALUE_LIMIT_BYTES) return bytes;
  throw new AppError(
    "request_too_large",
    `The input is ${bytes.byteLength} bytes of JSON; an action takes at most ${VALUE_LIMIT_BYTES}.`,
  );
}
