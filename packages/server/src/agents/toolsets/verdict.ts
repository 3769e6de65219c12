import type { Policy, Preset, RuledTool, ToolsetPolicy, ToolsetSettings } from "./toolset.ts";

/** What happens to a call: it is made, a person has to approve it, or the session has no such tool. */
export type Verdict = "allow" | "ask" | "deny";

const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

function ofPreset(preset: Preset, { effect }: RuledTool): Verdict {
  if (preset === "trusted" || effect === "read") return "allow";
  return preset === "careful" ? "ask" : "deny";
}

function ofToolset(policy: ToolsetPolicy | undefined, tool: RuledTool): Verdict {
  if (policy === undefined) return "allow";
  const rule = policy.rules?.find(
    ({ integration, action, effect }) =>
      (integration === undefined || integration === tool.integration) &&
      (action === undefined || action === tool.action) &&
      (effect === undefined || effect === tool.effect),
  );
  return rule?.verdict ?? ofPreset(policy.preset, tool);
}

export function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce((a, b) => (strictness[b] > strictness[a] ? b : a));
}

/** The strictest of what the toolset said when the session began, what it says now, and the session's own preset. */
export function verdictOn(
  tool: RuledTool,
  { settings, policy }: { settings: readonly ToolsetSettings[]; policy: Policy },
): Verdict {
  const { preset = "trusted" } = policy;
  return strictest([
    ofPreset(preset, tool),
    ...settings.map((each) => ofToolset(each.policy, tool)),
  ]);
}
