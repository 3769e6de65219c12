import { functionLimits } from "@jackfield/contract/function-limits";
import type { RuntimeCall } from "#functions";
import type { EnvironmentContext } from "#platform";
import { CallError } from "#platform/sandbox";
import { triggerAction } from "./trigger-action.ts";

const MAX_DEPTH = functionLimits.nestedDepth.value;

/** Calls of running functions that this slice answers; any connection of the environment (decisions 63). */
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
      input: body.byteLength === 0 ? undefined : JSON.parse(Buffer.from(body).toString()),
      depth,
    });
    return { value: null, body: output };
  },
};
