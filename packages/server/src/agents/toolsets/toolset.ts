export type Effect = "read" | "write" | "destructive";

export interface ToolSelection {
  readonly integration: string;
  readonly actions?: readonly string[] | undefined;
}

export interface Budget {
  readonly calls?: number | undefined;
  readonly writes?: number | undefined;
}

/** What a version of a toolset holds; stored as it is. */
export interface ToolsetSettings {
  readonly description: string;
  readonly mode: "auto" | "direct" | "search";
  readonly tools: readonly ToolSelection[];
  readonly effects?: readonly Effect[] | undefined;
  readonly budget?: Budget | undefined;
}

export interface Toolset {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly settings: ToolsetSettings;
  /** Of this version. */
  readonly createdAt: Date;
}

/** What a session may less than its toolset; stored as it is. */
export interface Policy {
  readonly integrations?: readonly string[] | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly effects?: readonly Effect[] | undefined;
  readonly connections?: readonly string[] | undefined;
}

/** An action as rules see it. */
export interface RuledTool {
  readonly integration: string;
  readonly action: string;
  readonly effect: Effect;
}

/** Whether the toolset has the tool. */
export function hasTool({ tools, effects }: ToolsetSettings, tool: RuledTool): boolean {
  if (effects !== undefined && !effects.includes(tool.effect)) return false;
  const selection = tools.find(({ integration }) => integration === tool.integration);
  if (selection === undefined) return false;
  return selection.actions === undefined || selection.actions.includes(tool.action);
}

/** Whether the policy leaves the tool. */
export function leavesTool({ integrations, actions, effects }: Policy, tool: RuledTool): boolean {
  if (integrations !== undefined && !integrations.includes(tool.integration)) return false;
  if (actions !== undefined && !actions.includes(tool.action)) return false;
  return effects === undefined || effects.includes(tool.effect);
}

/** The smaller number of each; undefined where neither has one. */
export function narrowBudget(a: Budget = {}, b: Budget = {}): Budget {
  return { calls: smaller(a.calls, b.calls), writes: smaller(a.writes, b.writes) };
}

function smaller(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
