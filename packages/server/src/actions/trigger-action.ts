import { functionLimits } from "@jackfield/contract/function-limits";
import { getCachedConnectionForCall, type MissingCodes, requireUnfrozen } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import { countConsumer, type DeployedAction, findVersionFor, getCachedAction } from "#functions";
import type { Integration } from "#integrations";
import type { RunCaller, RunEgress } from "#slice";
import { runAction } from "./run-action.ts";
import { toActionError } from "./to-action-error.ts";

export interface ActionTrigger {
  readonly integrationKey: string;
  readonly connectionId: string;
  readonly actionName: string;
  /** Any JSON value, passed as it is; undefined for none. */
  readonly input?: unknown;
  /** The input as JSON text within the limit, instead of `input`. */
  readonly inputJson?: Uint8Array | undefined;
  /** How many actions called each other before this one; 0 unless given. */
  readonly depth?: number;
  /** Whether it may only read, also where its author does not say so. */
  readonly readsOnly?: boolean | undefined;
  /** Of the function that calls it. */
  readonly outerEgress?: RunEgress | undefined;
  readonly proxyOnly?: boolean | undefined;
  /** Hears of the run while it continues; of it alone, not of actions that it calls. */
  readonly caller?: RunCaller | undefined;
  /** Shown with the operation. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Codes of the caller's route for what is missing. */
  readonly missing?: MissingCodes;
}

/**
 * Runs an action in this process's sandbox and resolves to its output as JSON text, for up to 15 minutes; throws
 * `overloaded` when no process is free for it within 30 s, and then nothing of it has run. A caller
 * that goes away (`ctx.signal`) cancels the run: nobody is left to read the output, and calls that the action has
 * already made stay made. The operation then ends as `cancelled`.
 */
export async function triggerAction(
  ctx: EnvironmentContext,
  trigger: ActionTrigger,
): Promise<Uint8Array> {
  const input = trigger.inputJson ?? encodeInput(trigger.input, ctx.settings.actionValueLimitBytes);
  const { connectionId, actionName } = trigger;
  const { integrationKey } = trigger;
  const found = await getCachedConnectionForCall(
    ctx,
    { integrationKey, connectionId },
    trigger.missing,
  );
  const { integration, connection } = found;
  requireUnfrozen(connection);
  const deployed = await requireAction(ctx, integration, actionName);
  const fn = await findVersionFor(ctx, deployed, connection.uuid);
  const outcome = await runAction(ctx, {
    ...{ fn, integration, connection, input },
    depth: trigger.depth ?? 0,
    ...{ caller: trigger.caller, readsOnly: trigger.readsOnly },
    ...{ outerEgress: trigger.outerEgress, proxyOnly: trigger.proxyOnly },
    ...(trigger.meta && { meta: trigger.meta }),
    startTimeoutMs: functionLimits.actionStartMs.value,
  });
  if (outcome.kind === "failed") throw toActionError(outcome.error, ctx.clock.now());
  return outcome.output;
}

/** Throws not_found, or disabled_resource. */
export async function requireAction(
  ctx: EnvironmentContext,
  integration: Integration,
  name: string,
): Promise<DeployedAction> {
  const fn = await getCachedAction(ctx, { integration, name });
  if (fn === undefined) {
    throw new AppError(
      "not_found",
      `The integration "${integration.uniqueKey}" has no action "${name}"; deploy it or check its name.`,
    );
  }
  if (fn.enabled) {
    countConsumer(ctx, { integrationId: integration.id, subject: "action", name });
    return fn;
  }
  throw new AppError("disabled_resource", `The action "${name}" is disabled; enable it first.`);
}

/** As JSON text; throws request_too_large. */
export function encodeInput(input: unknown, limitBytes: number): Uint8Array | undefined {
  if (input === undefined) return undefined;
  const bytes = Buffer.from(JSON.stringify(input));
  if (bytes.byteLength <= limitBytes) return bytes;
  throw tooLarge(bytes.byteLength, limitBytes);
}

export function tooLarge(bytes: number, limitBytes: number): AppError {
  return new AppError(
    "request_too_large",
    `The input is ${bytes} bytes of JSON; an action takes at most ${limitBytes}.`,
  );
}
