import type { tapeRoutes } from "@jackfield/contract";
import { AppError, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { listIntegrationKeys } from "#integrations";
import { recordChange } from "#logs";
import { listFunctionsById } from "../get-function.ts";
import { endTapeRule, presentRule, setTapeRule } from "./change-rules.ts";
import { readTape } from "./record-run.ts";
import { deleteTapeRow, listRuleRows, listTapeRows, type TapeSummary } from "./store.ts";

const DEFAULT_LIMIT = 50;
const cursors = keysetCursor({ radix: 36, separator: "." });

export const tapeHandlers = {
  getTape: async (ctx, { params }) => ({ data: await readTape(ctx, params.operationId) }),
  deleteTape: async (ctx, { params: { operationId } }) => {
    if (!(await deleteTapeRow(ctx.db, ctx.environment.id, operationId))) {
      throw new AppError("not_found", `There is no tape of the operation ${operationId}.`);
    }
    recordChange(ctx, { message: "Delete a tape", meta: { operation_id: operationId } });
    return { data: { success: true } };
  },
  listTapes: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor } = query;
    const rows = await listTapeRows(ctx.db, ctx.environment.id, {
      integrationKey: query.provider_config_key,
      functionName: query.function,
      operationId: query.operation_id,
      after: cursor === undefined ? undefined : cursors.read(cursor),
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const next = last && cursors.write({ createdAt: last.createdAt, id: last.operationId });
    return { data: shown.map(presentTape), next_cursor: next ?? null };
  },
  listTapeRules: async (ctx) => {
    const rules = await listRuleRows(ctx.db, ctx.environment.id, ctx.clock.now());
    const functions = await listFunctionsById(
      ctx,
      rules.map(({ functionId }) => functionId),
    );
    const keys = await listIntegrationKeys(
      ctx,
      [...functions.values()].map(({ integrationId }) => integrationId),
    );
    const data = rules.flatMap((rule) => {
      const fn = functions.get(rule.functionId);
      const uniqueKey = fn && keys.get(fn.integrationId);
      if (fn === undefined || uniqueKey === undefined) return [];
      return [
        presentRule(rule, { fn, integration: { id: fn.integrationId, uniqueKey, provider: "" } }),
      ];
    });
    return { data };
  },
  setTapeRule: async (ctx, { params, query, body }) => ({
    data: await setTapeRule(ctx, {
      ...{ integrationKey: params.uniqueKey, name: params.name, type: query.type },
      ...{ sample: body.sample, nextFailure: body.next_failure, hours: body.hours },
    }),
  }),
  deleteTapeRule: async (ctx, { params, query }) => {
    const { uniqueKey: integrationKey, name } = params;
    await endTapeRule(ctx, { integrationKey, name, type: query.type });
    return { data: { success: true } };
  },
} satisfies RouteHandlers<typeof tapeRoutes>;

function presentTape(tape: TapeSummary) {
  return {
    operation_id: tape.operationId,
    provider_config_key: tape.integrationKey,
    function: tape.functionName,
    kind: tape.kind,
    reason: tape.reason,
    state: tape.state,
    calls: tape.calls,
    bytes: tape.bytes,
    is_cut: tape.isCut,
    created_at: tape.createdAt.toISOString(),
    expires_at: tape.expiresAt.toISOString(),
  };
}
