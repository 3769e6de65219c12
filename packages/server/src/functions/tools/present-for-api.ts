import { estimateTokens } from "./estimate-tokens.ts";
import type { NamedTool } from "./list-tools.ts";
import { presentToolFor, type ToolApi } from "./present-tool-for.ts";

/** Tools in the form of an API, and the action that each of them calls. */
export function presentForApi(tools: readonly NamedTool[], api: ToolApi) {
  const data = tools.map(({ name, tool }) => presentToolFor(api, name, tool));
  const calls = tools.map(({ name, integration, tool }) => {
    const input = tool.wrapping === "object" ? ("arguments" as const) : tool.wrapping;
    return [name, { provider_config_key: integration, action_name: tool.fn.name, input }] as const;
  });
  return { data, calls: Object.fromEntries(calls), tokens: estimateTokens(data) };
}
