import type { actionRoutes } from "@jackfield/contract";
import { AppError } from "#platform";
import type { RouteHandlers } from "#platform/http";
import { triggerAction } from "./trigger-action.ts";

export const actionHandlers = {
  triggerAction: async (ctx, { headers, body }, { reply }) => {
    refuseAsync(headers["x-async"]);
    const output = await triggerAction(ctx, {
      integrationKey: headers["provider-config-key"],
      connectionId: headers["connection-id"],
      actionName: body.action_name,
      input: body.input,
    });
    await reply.status(200).header("content-type", "application/json").send(output);
  },
} satisfies RouteHandlers<typeof actionRoutes>;

const NO = new Set<unknown>([undefined, "", "false", "0", "no", "off", "n", "disabled"]);

/** Better refused than run while the caller waits for a 202. */
function refuseAsync(header: unknown): void {
  if (NO.has(typeof header === "string" ? header.toLowerCase() : header)) return;
  throw new AppError(
    "invalid_headers",
    "X-Async: actions run synchronously in this version; leave the header out and wait for the output.",
  );
}
