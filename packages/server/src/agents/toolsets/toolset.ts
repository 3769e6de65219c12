import type { InputCondition } from "./input-conditions.ts";

export type Effect = "read" | "write" | "destructive";

export const allEffects: readonly Effect[] = ["read", "write", "destructive"];

/** `write` where there is none: nobody has said that it only reads. */
export function strictestEffect(effects: readonly Effect[]): Effect {
  return allEffects.findLast((effect) => effects.includes(effect)) ?? "write";
}

/** From the freest to the strictest. */
export type Preset = "trusted" | "careful" | "read_only";

const presets: readonly Preset[] = ["trusted", "careful", "read_only"];

/** Who approves calls, from the one that proves least to the one that proves most. */
export type Approver = "client" | "end_user" | "operator";

const approvers: readonly Approver[] = ["client", "end_user", "operator"];

export interface PolicyRule {
  readonly integration?: string | undefined;
  readonly action?: string | undefined;
  readonly effect?: Effect | undefined;
  readonly input?: readonly InputCondition[] | undefined;
  /** Whether the session has read text that others may have written. */
  readonly tainted?: boolean | undefined;
  /** An argument comes from such a text. */
  readonly provenance?: "untrusted" | undefined;
  readonly verdict: "allow" | "ask" | "deny";
}

/** Which calls a person has to approve; the first rule that is about a tool holds, else the preset. */
export interface ToolsetPolicy {
  readonly preset: Preset;
  /** Undefined: people with the scope. */
  readonly approver?: Approver | undefined;
  readonly rules?: readonly PolicyRule[] | undefined;
  /** Asked before each call that the rules do not deny. */
  readonly url?: string | undefined;
}

export interface ToolSelection {
  readonly integration: string;
  readonly actions?: readonly string[] | undefined;
}

/** Requests of these methods to paths of these forms. */
export interface ApiRule {
  readonly methods: readonly ApiMethod[];
  readonly paths: readonly string[];
}

export type ApiMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Which requests an agent may send to an integration's provider; nothing but what `allow` names. */
export interface ApiSelection {
  readonly integration: string;
  readonly allow: readonly ApiRule[];
  readonly deny?: readonly ApiRule[] | undefined;
}

export interface Budget {
  readonly calls?: number | undefined;
  readonly writes?: number | undefined;
  /** Of all sessions of an end user with the toolset, in a day of UTC. */
  readonly calls_per_day?: number | undefined;
  readonly writes_per_day?: number | undefined;
  readonly result_tokens?: number | undefined;
  /** For which scripts run. */
  readonly code_seconds?: number | undefined;
}

/** What a version of a toolset holds; stored as it is. */
export interface ToolsetSettings {
  readonly description: string;
  readonly mode: "auto" | "direct" | "search" | "code";
  /** Names of tools that are listed in each mode. */
  readonly pinned?: readonly string[] | undefined;
  readonly tools: readonly ToolSelection[];
  /** Undefined: no API may be called but by its tools. */
  readonly api?: readonly ApiSelection[] | undefined;
  readonly effects?: readonly Effect[] | undefined;
  readonly policy?: ToolsetPolicy | undefined;
  readonly budget?: Budget | undefined;
  /** How clients that know the URL alone get a token; undefined: they do not. */
  readonly authorization?: Authorization | undefined;
}

export type Authorization =
  | { readonly mode: "hosted" }
  | {
      readonly mode: "external";
      readonly issuer: string;
      readonly end_user_claim: string;
    };

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
  readonly preset?: Preset | undefined;
}

/** An action as rules see it. */
export interface RuledTool {
  /** `api`: any request that rules of its own allow; those of actions are not about it. */
  readonly source?: "action" | "operation" | "api" | "upstream";
  readonly integration: string;
  readonly action: string;
  readonly effect: Effect;
  /** Whether what it is given may leave for people outside. */
  readonly sends: boolean;
}

/** Of versions of a toolset that say different approvers, the one that proves most. */
export function approverOf(settings: readonly ToolsetSettings[]): Approver {
  const named = settings.flatMap(({ policy }) => (policy === undefined ? [] : [policy.approver]));
  const ranks = named.map((each = "operator") => approvers.indexOf(each));
  return approvers[Math.max(...ranks)] ?? "operator";
}

/** Effects of the tools that it may have. */
export function effectsOf({ effects }: Pick<ToolsetSettings, "effects">): readonly Effect[] {
  return effects ?? allEffects;
}

/** Whether the toolset has the tool. */
export function hasTool({ tools, api, effects }: ToolsetSettings, tool: RuledTool): boolean {
  if (effects !== undefined && !effects.includes(tool.effect)) return false;
  if (tool.source === "api") {
    const rules = api?.find(({ integration }) => integration === tool.integration);
    return rules !== undefined && effectsOfApi(rules).includes(tool.effect);
  }
  const selection = tools.find(({ integration }) => integration === tool.integration);
  if (selection === undefined) return false;
  return selection.actions === undefined || selection.actions.includes(tool.action);
}

/** What requests that the rules allow may do to data; a POST may also be a search. */
export function effectsOfApi({ allow }: ApiSelection): readonly Effect[] {
  const methods = allow.flatMap((rule) => rule.methods);
  const has = (...wanted: ApiMethod[]) => wanted.some((each) => methods.includes(each));
  return [
    ...(has("GET", "HEAD", "POST") ? (["read"] as const) : []),
    ...(has("GET", "HEAD", "POST", "PUT", "PATCH") ? (["write"] as const) : []),
    ...(has("DELETE") ? (["destructive"] as const) : []),
  ];
}

/** Keys of the integrations that tools of the toolset belong to. */
export function integrationsOf({ tools, api = [] }: ToolsetSettings): string[] {
  return [...new Set([...tools, ...api].map(({ integration }) => integration))];
}

/** Whether the policy leaves the tool. */
export function leavesTool({ integrations, actions, effects }: Policy, tool: RuledTool): boolean {
  if (integrations !== undefined && !integrations.includes(tool.integration)) return false;
  if (actions !== undefined && !actions.includes(tool.action)) return false;
  return effects === undefined || effects.includes(tool.effect);
}

/** What both leave. */
export function narrowPolicy(a: Policy, b: Policy): Policy {
  return {
    integrations: common(a.integrations, b.integrations),
    actions: common(a.actions, b.actions),
    effects: common(a.effects, b.effects),
    connections: common(a.connections, b.connections),
    preset: stricter(a.preset, b.preset),
  };
}

function stricter(a: Preset | undefined, b: Preset | undefined): Preset | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return presets.indexOf(a) > presets.indexOf(b) ? a : b;
}

function common<Item>(
  a: readonly Item[] | undefined,
  b: readonly Item[] | undefined,
): readonly Item[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.filter((each) => b.includes(each));
}

/** The smaller number of each; undefined where neither has one. */
export function narrowBudget(a: Budget = {}, b: Budget = {}): Budget {
  return {
    calls: smaller(a.calls, b.calls),
    writes: smaller(a.writes, b.writes),
    calls_per_day: smaller(a.calls_per_day, b.calls_per_day),
    writes_per_day: smaller(a.writes_per_day, b.writes_per_day),
    result_tokens: smaller(a.result_tokens, b.result_tokens),
    code_seconds: smaller(a.code_seconds, b.code_seconds),
  };
}

function smaller(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
