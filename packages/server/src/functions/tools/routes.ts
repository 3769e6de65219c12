import type { agentRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#platform/http";
import { listAllFunctions } from "../store.ts";
import { whyNoTool } from "./action-tool.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { type NamedTool, nameActionTools, nameAllTools } from "./list-tools.ts";
import { presentToolFor } from "./present-tool-for.ts";

/** A definition of this many tokens is worth a look at its texts. */
const LARGE_TOKENS = 800;

export const agentToolHandlers = {
  listAgentTools: async (ctx) => {
    const functions = await listAllFunctions(ctx.db, ctx.environment.id);
    const tools = (await nameActionTools(ctx, functions)).map(present);
    const { keys } = await nameAllTools(ctx, functions);
    const left = functions.flatMap((fn) => {
      const reason = fn.type === "action" ? whyNoTool(fn) : undefined;
      const integration = keys.get(fn.integrationId);
      return reason === undefined || integration === undefined
        ? []
        : [{ integration, action: fn.name, reason }];
    });
    const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
    return { data: tools, left_out: left, tokens };
  },
} satisfies RouteHandlers<typeof agentRoutes>;

function present({ name, integration, tool }: NamedTool) {
  const tokens = estimateTokens(presentToolFor("mcp", name, tool));
  const { effect, title } = tool.hints;
  const warnings = [
    ...(tool.description === "" ? (["no_description"] as const) : []),
    ...(effect === undefined ? (["no_effect"] as const) : []),
    ...(tokens > LARGE_TOKENS ? (["large"] as const) : []),
  ];
  return {
    ...{ name, integration, action: tool.fn.name },
    ...(title === undefined ? {} : { title }),
    ...(effect === undefined ? {} : { effect }),
    ...{ tokens, warnings },
  };
}
