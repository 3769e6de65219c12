import { randomBytes } from "node:crypto";
import { AppError, type EnvironmentId, HOUR } from "#foundation";
import {
  allEffects,
  type Budget,
  type Effect,
  type Policy,
  type ToolsetSettings,
} from "../toolsets/toolset.ts";

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
  /** For what its client asked; it may come again and ask for more. Undefined where that leads nowhere. */
  readonly askedEffects?: readonly Effect[] | undefined;
  readonly budget: Budget;
  readonly used: {
    readonly calls: number;
    readonly writes: number;
    readonly result_tokens: number;
    /** Rounded up. */
    readonly code_seconds: number;
  };
  readonly taint: Taint;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly endedAt: Date | undefined;
}

/** What the agent has read: something of an account, and text that others may have written. */
export interface Taint {
  readonly privateRead: boolean;
  readonly untrustedSeen: boolean;
}

/** A session that serves calls. */
export interface ServedSession extends AgentSession {
  /** What the session began with, and what the toolset is now: it has what both have. */
  readonly settings: readonly [begun: ToolsetSettings, current: ToolsetSettings];
  /** Of the toolset as it is now. */
  readonly currentVersion: number;
}

/**
 * The session as it would be if its client asked for all that the toolset has. What the end user has refused, or
 * somebody has taken away since, stays away.
 */
export function withinReach<Session extends Pick<AgentSession, "policy" | "askedEffects">>(
  session: Session,
): Session {
  const { policy, askedEffects: asked } = session;
  if (asked === undefined || policy.effects === undefined) return session;
  const left = policy.effects;
  const effects = allEffects.filter((each) => left.includes(each) || !asked.includes(each));
  return { ...session, policy: { ...policy, effects } };
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
