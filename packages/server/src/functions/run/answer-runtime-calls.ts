import { type EnvironmentContext, type HookAnswer, on } from "#foundation";
import type { AnyRuntimeCall, RuntimeHandlers } from "#slice";
import { runtimeCall } from "../hooks.ts";

/** The answer to the hook `runtimeCall`, from the handlers of slices. */
export function answerRuntimeCalls(
  handlers: readonly Partial<RuntimeHandlers>[],
): HookAnswer<EnvironmentContext> {
  const all = handlers.flatMap((each) => Object.entries(each));
  const byName = new Map(all.map(([name, handler]) => [name, widen(handler)]));
  return on(runtimeCall, async (ctx, { method, run, params, body }) => {
    const handler = byName.get(method);
    if (handler === undefined) throw new Error(`no slice answers the runtime call ${method}`);
    return await handler(ctx, { run, params, body });
  });
}

type WideHandler = (
  ctx: EnvironmentContext,
  call: Omit<AnyRuntimeCall, "method">,
) => Promise<{ value: unknown; body?: Uint8Array }>;

// The sandbox has parsed `params` by the schema of the method under whose name the handler is found.
function widen(handler: (ctx: EnvironmentContext, call: never) => Promise<object>): WideHandler {
  return handler as WideHandler;
}
