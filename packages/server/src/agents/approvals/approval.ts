import { type EnvironmentContext, type EnvironmentId, MINUTE } from "#foundation";
import { openJson } from "#vault";
import type { Origin } from "../provenance/provenance.ts";
import type { Approver, Effect } from "../toolsets/toolset.ts";
import type { ShownRequest } from "./shown-request.ts";

export type ApprovalState = "waiting" | "approved" | "denied" | "used";

/** A call of an agent that a person has to approve. */
export interface Approval {
  readonly id: string;
  readonly sessionId: string;
  readonly endUserId: string;
  readonly toolset: string;
  readonly tool: string;
  readonly integration: string;
  readonly connectionId: string;
  readonly effect: Effect;
  readonly state: ApprovalState | "expired";
  readonly scope: "once" | "session" | null;
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date | null;
  readonly approver: Approver;
  readonly decidedBy: Approver | null;
}

/** What the person sees of it. */
export interface Shown {
  readonly input: unknown;
  readonly request: ShownRequest;
  /** Whose account it is; undefined in what an earlier release has stored. */
  readonly account?: string | undefined;
  /** Whether the agent had read text that others may have written, and which arguments come from there. */
  readonly tainted?: boolean | undefined;
  readonly origins?: readonly Origin[] | undefined;
}

/** How long a call waits for a person, and an approved one for its agent. */
export const LIFE_MS: number = 15 * MINUTE;

/** Of a session; more calls are refused before they are looked at. */
export const MOST_WAITING = 50;

export function shownAad({ environment }: Pick<EnvironmentContext, "environment">, id: string) {
  const environmentId: EnvironmentId = environment.id;
  return { environmentId, table: "agent_approvals", column: "shown", row: id };
}

export async function readShown(
  ctx: EnvironmentContext,
  { id, shown }: { id: string; shown: Buffer },
): Promise<Shown> {
  // It was sealed as such.
  return (await openJson(ctx, shownAad(ctx, id), shown)) as Shown;
}
