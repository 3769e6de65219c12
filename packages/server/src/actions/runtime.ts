import { functionLimits } from "@jackfield/contract/function-limits";
import type { EnvironmentContext } from "#foundation";
import { CallError } from "#foundation/sandbox";
import type { RuntimeCall } from "#slice";
import { isJsonValue } from "./action-outcome.ts";
import { tooLarge, triggerAction } from "./trigger-action.ts";

const MAX_DEPTH = functionLimits.nestedDepth.value;

/** Calls of running functions that this slice answers; any connection of the environment. */
export const actionRuntime = {
  triggerAction: async (
    ctx: EnvironmentContext,
    { run, params, body }: RuntimeCall<"triggerAction">,
  ) => {
    const depth = (run.depth ?? 0) + 1;
    if (depth > MAX_DEPTH) {
      throw new CallError({
        type: "function_nesting_too_deep",
        message: `Actions call actions ${MAX_DEPTH} levels deep here, and no deeper; call ${params.actionName} from a function further up.`,
      });
    }
    const output = await triggerAction(ctx, {
      integrationKey: params.providerConfigKey,
      connectionId: params.connectionId,
      actionName: params.actionName,
      inputJson: await readInput(body, ctx.settings.actionValueLimitBytes),
      depth,
      readsOnly: run.readsOnly,
      outerEgress: run.egress,
      proxyOnly: run.proxyOnly,
    });
    return { value: null, body: output };
  },
};

/** Passed on as it came: a function's process may send any bytes as the input. */
async function readInput(body: Uint8Array, limitBytes: number): Promise<Uint8Array | undefined> {
  if (body.byteLength === 0) return undefined;
  if (body.byteLength > limitBytes) throw tooLarge(body.byteLength, limitBytes);
  if (await isJsonValue(body)) return body;
  throw new CallError({ type: "invalid_body", message: "The input of the action is not JSON." });
}
