import type { RunCaller } from "#slice";
import type { ServedSession } from "../sessions/session.ts";
import type { RuledTool } from "../toolsets/toolset.ts";
import type { ApprovedCall } from "./store.ts";

type Rules = Pick<ServedSession, "settings" | "policy" | "taint">;

/** A call of an agent before it begins. */
export interface HeldCall extends ApprovedCall {
  readonly rules: Rules;
  readonly ruled: RuledTool;
  readonly input: unknown;
  readonly endUserId: string;
  readonly toolset: string;
  /** Whose account it is, as the agent names it. */
  readonly account: string;
  readonly caller: RunCaller | undefined;
  /** It has begun before, and its user has answered what its server asked. */
  readonly isResumed?: boolean;
}
