import { estimateTokens } from "#functions";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import type { ServedSession } from "../sessions/session.ts";
import type { ToolsetSettings } from "../toolsets/toolset.ts";
import { codeTools, searchTools } from "./built-in-tools.ts";

export type Mode = "direct" | "search" | "code";

/** More are found by search. */
const MOST_DIRECT_TOOLS = 60;
const MOST_DIRECT_TOKENS = 8000;
/** Also of a toolset that asks for it: no model chooses well of more. */
const MOST_LISTED_TOOLS = 300;

/** Whether a client is shown each tool. */
export function modeOf({ mode }: ToolsetSettings, tools: readonly CatalogueTool[]): Mode {
  if (mode === "code") return "code";
  if (mode === "search" || tools.length > MOST_LISTED_TOOLS) return "search";
  if (mode === "direct") return "direct";
  const fits = tools.length <= MOST_DIRECT_TOOLS && sumTokens(tools) <= MOST_DIRECT_TOKENS;
  return fits ? "direct" : "search";
}

/** Whether the session may run scripts: its toolset let it when it began, and does now. */
export function runsCode({ settings }: Pick<ServedSession, "settings">): boolean {
  return settings.every(({ mode }) => mode === "code");
}

/** Tools that are listed by themselves where the others are found. */
export function listPinned<Tool extends Pick<CatalogueTool, "name">>(
  { pinned = [] }: ToolsetSettings,
  tools: readonly Tool[],
): Tool[] {
  return tools.filter(({ name }) => pinned.includes(name));
}

/** About how many tokens the list of tools takes. */
export function tokensOfMode(
  mode: Mode,
  tools: readonly CatalogueTool[],
  settings: ToolsetSettings,
): number {
  if (mode === "direct") return sumTokens(tools);
  const fixed = mode === "code" ? codeTools : searchTools;
  return estimateTokens(fixed) + sumTokens(listPinned(settings, tools));
}

function sumTokens(tools: readonly CatalogueTool[]): number {
  return tools.reduce((sum, { tokens }) => sum + tokens, 0);
}
