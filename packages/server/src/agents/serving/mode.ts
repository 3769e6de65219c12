import { estimateTokens } from "#functions";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import type { ToolsetSettings } from "../toolsets/toolset.ts";
import { searchTools } from "./built-in-tools.ts";

export type Mode = "direct" | "search";

/** More are found by search. */
const MOST_DIRECT_TOOLS = 60;
const MOST_DIRECT_TOKENS = 8000;
/** Also of a toolset that asks for it: no model chooses well of more. */
const MOST_LISTED_TOOLS = 300;

/** Whether a client is shown each tool. */
export function modeOf({ mode }: ToolsetSettings, tools: readonly CatalogueTool[]): Mode {
  if (mode === "search" || tools.length > MOST_LISTED_TOOLS) return "search";
  if (mode === "direct") return "direct";
  const fits = tools.length <= MOST_DIRECT_TOOLS && sumTokens(tools) <= MOST_DIRECT_TOKENS;
  return fits ? "direct" : "search";
}

/** About how many tokens the list of tools takes. */
export function tokensOfMode(mode: Mode, tools: readonly CatalogueTool[]): number {
  return mode === "direct" ? sumTokens(tools) : estimateTokens(searchTools);
}

function sumTokens(tools: readonly CatalogueTool[]): number {
  return tools.reduce((sum, { tokens }) => sum + tokens, 0);
}
