import type { AgentSession, SessionFilter } from "../../data/agents/agent-sessions.ts";
import type { Tone } from "../../parts/badge.tsx";
import type { Target } from "../../parts/go.tsx";
import { homeOf } from "../../start/environment-address.ts";

/** Begins and ends sessions. */
export const SESSIONS = "environment:agents:sessions";

export const sessionTones: Readonly<Record<AgentSession["state"], Tone>> = {
  open: "run",
  ended: "idle",
  expired: "idle",
};

function sessionsPath(environment: string): string {
  return `${homeOf(environment)}/agent-sessions`;
}

/** The list, about some of them. */
export function sessionsOf(
  environment: string,
  { toolset, integration, end_user_id: user, state }: SessionFilter,
): Target {
  return { to: sessionsPath(environment), search: { toolset, integration, user, state } };
}

export function sessionPage(environment: string, id: string): Target {
  return { to: `${sessionsPath(environment)}/${encodeURIComponent(id)}` };
}
