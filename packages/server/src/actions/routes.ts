import type { actionRoutes } from "@jackfield/contract";
import { AppError, invalidFields, oneValue, type PlacedValues } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { getAsyncResult } from "./async/get-async-result.ts";
import { startAsyncAction } from "./async/start-async-action.ts";
import { triggerAction } from "./trigger-action.ts";

export const actionHandlers = {
  triggerAction: async (ctx, { headers, query, body }, { reply }) => {
    const trigger = {
      integrationKey: requireValue("provider_config_key", "Provider-Config-Key", {
        header: headers["provider-config-key"],
        query: query.provider_config_key,
        body: body.provider_config_key,
      }),
      connectionId: requireValue("connection_id", "Connection-Id", {
        header: headers["connection-id"],
        query: query.connection_id,
        body: body.connection_id,
      }),
      actionName: body.action_name,
      input: body.input,
      missing: { integration: "unknown_provider" } as const,
    };
    const maxRetries = headers["x-max-retries"];
    if (headers["x-async"] === true) {
      const later = { ...trigger, maxRetries: maxRetries ?? 0 };
      const accepted = await startAsyncAction(ctx, later);
      await reply.status(202).header("location", accepted.statusUrl).send(accepted);
      return;
    }
    if (maxRetries !== undefined && maxRetries > 0) {
      throw new AppError(
        "invalid_headers",
        "X-Max-Retries goes with `X-Async: true` only; leave it out, or start the action asynchronously.",
      );
    }
    const output = await triggerAction(ctx, trigger);
    await reply.status(200).header("content-type", "application/json").send(output);
  },
  getAsyncActionResult: async (ctx, { params }, { reply }) => {
    const output = Buffer.from(await getAsyncResult(ctx, params.id));
    await reply.status(200).header("content-type", "application/json").send(output);
  },
} satisfies RouteHandlers<typeof actionRoutes>;

/** The value, wherever it was sent; throws invalid_headers for none. */
function requireValue(name: string, headerName: string, values: PlacedValues): string {
  const value = oneValue(name, values);
  if (value !== undefined) return value;
  const message = `is missing; send it as header, or as \`${name}\` in query or body`;
  throw invalidFields("invalid_headers", [{ path: [headerName], message }]);
}
