import type { Toolset, ToolsetBody } from "./toolsets.ts";

type Policy = NonNullable<ToolsetBody["policy"]>;
type Rule = NonNullable<Policy["rules"]>[number];
type Condition = NonNullable<Rule["input"]>[number];
type Api = NonNullable<ToolsetBody["api"]>[number];
type PathRule = Api["allow"][number];
export type Effect = NonNullable<ToolsetBody["effects"]>[number];
export type Method = PathRule["methods"][number];
export type Preset = Policy["preset"];
export type Mode = NonNullable<ToolsetBody["mode"]>;
export type Approver = NonNullable<Policy["approver"]>;

export const effects = ["read", "write", "destructive"] as const satisfies readonly Effect[];
export const methods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
] as const satisfies readonly Method[];
export const budgets = [
  "calls",
  "writes",
  "calls_per_day",
  "writes_per_day",
  "result_tokens",
  "code_seconds",
] as const satisfies readonly (keyof NonNullable<ToolsetBody["budget"]>)[];

/** A condition as it is typed: `text` holds its value, several of them one a line. */
export interface DraftCondition {
  readonly path: string;
  readonly op: Condition["op"];
  readonly text: string;
}

export interface DraftRule {
  readonly verdict: Rule["verdict"];
  readonly integration: string;
  readonly action: string;
  readonly effect: Effect | "";
  readonly conditions: readonly DraftCondition[];
  readonly tainted: "" | "true" | "false";
  readonly fromOthers: boolean;
}

export interface DraftPathRule {
  readonly methods: readonly Method[];
  /** One a line. */
  readonly paths: string;
}

export interface DraftApi {
  readonly integration: string;
  readonly allow: readonly DraftPathRule[];
  readonly deny: readonly DraftPathRule[];
}

/** A toolset as its form holds it, where anything may be half written. */
export interface Draft {
  readonly description: string;
  readonly mode: Mode;
  /** One a line. */
  readonly pinned: string;
  readonly tools: ToolsetBody["tools"];
  readonly effects: readonly Effect[];
  /** Empty for a toolset of an earlier release, which has no policy. */
  readonly preset: Preset | "";
  readonly approver: Approver;
  readonly rules: readonly DraftRule[];
  readonly url: string;
  readonly api: readonly DraftApi[];
  readonly budget: Readonly<Record<(typeof budgets)[number], string>>;
  readonly authorization: "none" | "hosted" | "external";
  readonly issuer: string;
  readonly claim: string;
}

const noBudget = {
  calls: "",
  writes: "",
  calls_per_day: "",
  writes_per_day: "",
  result_tokens: "",
  code_seconds: "",
};

export const emptyDraft: Draft = {
  description: "",
  mode: "auto",
  pinned: "",
  tools: [],
  effects,
  preset: "careful",
  approver: "operator",
  rules: [],
  url: "",
  api: [],
  budget: noBudget,
  authorization: "none",
  issuer: "",
  claim: "sub",
};

/** The settings of a version without what the server adds. */
export function settingsOf(toolset: Toolset): ToolsetBody {
  const { id, name, version, mcp_url, session_mcp_url, created_at, ...settings } = toolset;
  return settings;
}

export function toDraft(toolset: Toolset): Draft {
  const { policy, authorization, budget = {} } = toolset;
  const isExternal = authorization?.mode === "external";
  return {
    description: toolset.description,
    mode: toolset.mode,
    pinned: (toolset.pinned ?? []).join("\n"),
    tools: toolset.tools,
    effects: toolset.effects ?? effects,
    preset: policy?.preset ?? "",
    approver: policy?.approver ?? "operator",
    rules: (policy?.rules ?? []).map(toDraftRule),
    url: policy?.url ?? "",
    api: (toolset.api ?? []).map(({ integration, allow, deny = [] }) => ({
      integration,
      allow: allow.map(toDraftPaths),
      deny: deny.map(toDraftPaths),
    })),
    budget: {
      ...noBudget,
      ...Object.fromEntries(Object.entries(budget).map(([key, value]) => [key, String(value)])),
    },
    authorization: authorization?.mode ?? "none",
    issuer: isExternal ? authorization.issuer : "",
    claim: isExternal ? (authorization.end_user_claim ?? "sub") : "sub",
  };
}

function toDraftRule(rule: Rule): DraftRule {
  return {
    verdict: rule.verdict,
    integration: rule.integration ?? "",
    action: rule.action ?? "",
    effect: rule.effect ?? "",
    conditions: (rule.input ?? []).map(({ path, op, value }) => ({
      path,
      op,
      text: Array.isArray(value)
        ? value.map((each) => (op === "in" ? writeValue(each) : String(each))).join("\n")
        : String(value),
    })),
    tainted: rule.tainted === undefined ? "" : rule.tainted ? "true" : "false",
    fromOthers: rule.provenance === "untrusted",
  };
}

function toDraftPaths({ methods: own, paths }: PathRule): DraftPathRule {
  return { methods: own, paths: paths.join("\n") };
}

/** What is sent; the server says of what is half written where it is wrong. Positions stay what they are. */
export function toBody(draft: Draft): ToolsetBody {
  const { tools, api, description, mode, authorization } = draft;
  const pinned = toLines(draft.pinned);
  const chosen = effects.filter((each) => draft.effects.includes(each));
  const budget = toBudget(draft);
  return {
    ...{ description, mode, tools: tools.map(toSelection) },
    ...(pinned.length === 0 ? {} : { pinned }),
    ...(api.length === 0 ? {} : { api: api.map(toApi) }),
    ...(chosen.length === effects.length ? {} : { effects: chosen }),
    ...(draft.preset === "" ? {} : { policy: toPolicy(draft, draft.preset) }),
    ...(budget === undefined ? {} : { budget }),
    ...(authorization === "none" ? {} : { authorization: toAuthorization(draft) }),
  };
}

function toSelection({ integration, actions }: ToolsetBody["tools"][number]) {
  return { integration, ...(actions === undefined ? {} : { actions }) };
}

function toPolicy({ approver, rules, url }: Draft, preset: Preset): Policy {
  return {
    preset,
    ...(approver === "operator" ? {} : { approver }),
    ...(rules.length === 0 ? {} : { rules: rules.map(toRule) }),
    ...(url.trim() === "" ? {} : { url: url.trim() }),
  };
}

function toRule(rule: DraftRule): Rule {
  const { integration, action, effect, tainted, conditions, verdict } = rule;
  return {
    ...(integration === "" ? {} : { integration }),
    ...(action.trim() === "" ? {} : { action: action.trim() }),
    ...(effect === "" ? {} : { effect }),
    ...(conditions.length === 0 ? {} : { input: conditions.map(toCondition) }),
    ...(tainted === "" ? {} : { tainted: tainted === "true" }),
    ...(rule.fromOthers ? { provenance: "untrusted" as const } : {}),
    verdict,
  };
}

function toCondition({ path, op, text }: DraftCondition): Condition {
  const own = { path: path.trim() };
  if (op === "in") return { ...own, op, value: toLines(text).map(readValue) };
  if (op === "domain_in") return { ...own, op, value: toLines(text) };
  if (op === "matches") return { ...own, op, value: text };
  // What is no number becomes null on its way, which the server names.
  return { ...own, op, value: text.trim() === "" ? Number.NaN : Number(text) };
}

function toApi({ integration, allow, deny }: DraftApi): Api {
  return {
    integration,
    allow: allow.map(toPathRule),
    ...(deny.length === 0 ? {} : { deny: deny.map(toPathRule) }),
  };
}

function toPathRule({ methods: own, paths }: DraftPathRule): PathRule {
  return { methods: methods.filter((each) => own.includes(each)), paths: toLines(paths) };
}

function toBudget({ budget }: Draft): ToolsetBody["budget"] {
  const given = budgets.filter((key) => budget[key].trim() !== "");
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map((key) => [key, Number(budget[key])]));
}

function toAuthorization({ authorization, issuer, claim }: Draft) {
  if (authorization !== "external") return { mode: "hosted" as const };
  const given = claim.trim() === "" ? {} : { end_user_claim: claim.trim() };
  return { mode: "external" as const, issuer: issuer.trim(), ...given };
}

export function toLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

type Value = string | number | boolean;

/** Numbers, `true` and `false` are what they say; a text that looks like one is in quotes. */
function readValue(line: string): Value {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      return value;
    }
  } catch {
    // Then the line itself is the text.
  }
  return line;
}

function writeValue(value: Value): string {
  if (typeof value !== "string") return String(value);
  const isPlain = value.trim() === value && value !== "" && !value.includes("\n");
  return isPlain && readValue(value) === value ? value : JSON.stringify(value);
}
