import { holdConditions } from "./input-conditions.ts";
import type {
  Policy,
  PolicyRule,
  Preset,
  RuledTool,
  ToolsetPolicy,
  ToolsetSettings,
} from "./toolset.ts";

/** What happens to a call: it is made, a person has to approve it, or the session has no such tool. */
export type Verdict = "allow" | "ask" | "deny";

const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

/** What is known of a call, besides its tool. */
export interface CallFacts {
  readonly input: unknown;
  /** Whether the session has read text that others may have written. */
  readonly isTainted: boolean;
  /** Whether an argument comes from such a text; undefined where no rule asks. */
  readonly isFromOthers?: boolean | undefined;
}

function ofPreset(preset: Preset, { effect }: RuledTool): Verdict {
  if (preset === "trusted" || effect === "read") return "allow";
  return preset === "careful" ? "ask" : "deny";
}

/** What somebody's text may lead an agent to do, and what cannot be taken back. */
export function isRisky({ sends, effect }: RuledTool): boolean {
  return sends || effect === "destructive";
}

/**
 * Without facts, what may happen to some call of the tool. While the session is tainted, no preset and no rule that
 * does not say so lets a risky call pass; what only reads cannot be shown before it is done.
 */
function ofToolset(
  policy: ToolsetPolicy | undefined,
  tool: RuledTool,
  facts: CallFacts | undefined,
): Verdict {
  if (policy === undefined) return "allow";
  const rule = policy.rules?.find((each) => isAbout(each, tool) && fits(each, facts));
  const verdict = rule?.verdict ?? ofPreset(policy.preset, tool);
  return rule?.tainted === true ? verdict : whileTainted(verdict, tool, facts);
}

function whileTainted(verdict: Verdict, tool: RuledTool, facts: CallFacts | undefined): Verdict {
  if (verdict !== "allow" || facts?.isTainted !== true || !isRisky(tool)) return verdict;
  return tool.effect === "read" ? "deny" : "ask";
}

export interface ExplainedVerdict {
  /** `depends`: the rule looks at more than the tool. */
  readonly verdict: Verdict | "depends";
  /** Position of the rule; undefined for the preset, and where there is no policy. */
  readonly rule: number | undefined;
}

/** What the policy does with calls of the tool while the session has read nothing of others, and by which rule. */
export function explainVerdict(
  policy: ToolsetPolicy | undefined,
  tool: RuledTool,
): ExplainedVerdict {
  const rule = policy?.rules?.findIndex((each) => isAbout(each, tool)) ?? -1;
  const found = policy?.rules?.[rule];
  if (found !== undefined) return { verdict: isAlways(found) ? found.verdict : "depends", rule };
  return { verdict: ofToolset(policy, tool, undefined), rule: undefined };
}

function isAlways({ input, tainted, provenance }: PolicyRule): boolean {
  return input === undefined && tainted === undefined && provenance === undefined;
}

function isAbout({ integration, action, effect }: PolicyRule, tool: RuledTool): boolean {
  return (
    (integration === undefined || integration === tool.integration) &&
    (action === undefined || action === tool.action) &&
    (effect === undefined || effect === tool.effect)
  );
}

function fits(rule: PolicyRule, facts: CallFacts | undefined): boolean {
  const { input, tainted, provenance, verdict } = rule;
  if (isAlways(rule)) return true;
  if (facts === undefined) return verdict !== "deny";
  if (tainted !== undefined && tainted !== facts.isTainted) return false;
  if (provenance !== undefined && facts.isFromOthers !== true) return false;
  const quantity = verdict === "allow" ? "every" : "some";
  return input === undefined || holdConditions(input, facts.input, quantity);
}

export function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce((a, b) => (strictness[b] > strictness[a] ? b : a));
}

/**
 * The strictest of what the toolset said when the session began, what it says now, and the session's own preset; of
 * any call of the tool without facts, `deny` then says that there can be none.
 */
export function verdictOn(
  tool: RuledTool,
  { settings, policy }: { settings: readonly ToolsetSettings[]; policy: Policy },
  facts?: CallFacts,
): Verdict {
  const { preset } = policy;
  const ofSession =
    preset === undefined ? "allow" : whileTainted(ofPreset(preset, tool), tool, facts);
  return strictest([ofSession, ...settings.map((each) => ofToolset(each.policy, tool, facts))]);
}

/** Whether a rule asks where arguments come from. */
export function asksForProvenance({ settings }: { settings: readonly ToolsetSettings[] }): boolean {
  return settings.some(({ policy }) =>
    policy?.rules?.some(({ provenance }) => provenance !== undefined),
  );
}
