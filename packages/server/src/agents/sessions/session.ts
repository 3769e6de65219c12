import { randomBytes } from "node:crypto";
import { AppError, type EnvironmentId, HOUR } from "#platform";
import type { Budget, Policy, ToolsetSettings } from "../toolsets/toolset.ts";

/** Permission for an agent to act for one end user, until it expires or is ended. */
export interface AgentSession {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly toolsetId: string;
  readonly toolset: string;
  /** Of a client that connected by URL alone; undefined for a session that a backend began. */
  readonly clientId: string | undefined;
  readonly toolsetVersion: number;
  readonly endUserId: string;
  readonly policy: Policy;
  readonly budget: Budget;
  readonly used: { readonly calls: number; readonly writes: number };
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly endedAt: Date | undefined;
}

/** A session that serves calls. */
export interface ServedSession extends AgentSession {
  /** What the session began with, and what the toolset is now: it has what both have. */
  readonly settings: readonly [begun: ToolsetSettings, current: ToolsetSettings];
}

export const USUAL_LIFE_MS = HOUR;

/** Hash purpose of tokens of sessions. */
export const AGENT_TOKEN = "agent-token";

const PREFIX = "svc_agent_";
const pattern = new RegExp(`^${PREFIX}[0-9a-f]{64}$`);

export function newAgentToken(): string {
  return PREFIX + randomBytes(32).toString("hex");
}

export function isWellFormedAgentToken(text: string): boolean {
  return pattern.test(text);
}

export function stateOfSession(
  { endedAt, expiresAt }: Pick<AgentSession, "endedAt" | "expiresAt">,
  now: Date,
): "open" | "ended" | "expired" {
  if (endedAt !== undefined) return "ended";
  return expiresAt <= now ? "expired" : "open";
}

export function failUnknownToken(): never {
  throw new AppError("unknown_agent_token");
}
