import type { Effect } from "../../data/agents/toolset-draft.ts";
import type { PreviewTool } from "../../data/agents/toolsets.ts";
import type { Tone } from "../../parts/badge.tsx";
import type { Target } from "../../parts/go.tsx";
import { homeOf } from "../../start/environment-address.ts";

export const toolsetTabs = ["overview", "edit", "versions", "connect"] as const;

export type ToolsetTab = (typeof toolsetTabs)[number];

export const WRITE = "environment:agents:write";

export const verdictTones: Readonly<Record<PreviewTool["verdict"], Tone>> = {
  allow: "good",
  ask: "warn",
  deny: "bad",
  depends: "run",
};

export const effectTones: Readonly<Record<Effect, Tone>> = {
  read: "good",
  write: "warn",
  destructive: "bad",
};

export function toolsetsPath(environment: string): string {
  return `${homeOf(environment)}/toolsets`;
}

export function toolsetPage(
  environment: string,
  name: string,
  tab: ToolsetTab = "overview",
): Target {
  return { to: `${toolsetsPath(environment)}/${encodeURIComponent(name)}/${tab}` };
}

export function integrationPage(environment: string, key: string): Target {
  return { to: `${homeOf(environment)}/integrations/${encodeURIComponent(key)}` };
}
