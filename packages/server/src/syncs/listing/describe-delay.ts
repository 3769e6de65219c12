import type { RouteOutput, syncRoutes } from "@jackfield/contract";
import { MINUTE } from "#foundation";
import type { RunUnderWay } from "./store.ts";

export type Delay = NonNullable<RouteOutput<typeof syncRoutes.listSyncs>["data"][number]["delay"]>;

/** How much runs at the moment, and how much may. */
export interface Load {
  readonly slots: number;
  /** Of the installation. */
  readonly running: number;
  /** Of the environment. */
  readonly own: number;
  /** Most that the environment may have. */
  readonly share: number;
}

export interface LateSync {
  /** When its next run is due; undefined while it runs, or is not to run. */
  readonly dueAt: Date | undefined;
  /** The run that it has now. */
  readonly run:
    | Pick<RunUnderWay, "state" | "attempts" | "createdAt" | "startedAt" | "quotaUntil">
    | undefined;
}

const LATE_MS = MINUTE;

/** Since when a sync is late; undefined for one in time. */
export function lateSince({ dueAt, run }: LateSync, now: Date): Date | undefined {
  if (run?.state === "running") {
    const isHeld = run.attempts > 1 || waitsForQuota(run, now);
    return isHeld ? (run.startedAt ?? run.createdAt) : undefined;
  }
  const since = run?.state === "waiting" ? run.createdAt : dueAt;
  return since !== undefined && now.getTime() - since.getTime() >= LATE_MS ? since : undefined;
}

function waitsForQuota({ quotaUntil }: Pick<RunUnderWay, "quotaUntil">, now: Date): boolean {
  return quotaUntil !== null && quotaUntil > now;
}

/** Why a sync is late; null for one in time. */
export function describeDelay(sync: LateSync, load: Load, now: Date): Delay | null {
  const since = lateSince(sync, now);
  if (since === undefined) return null;
  const none = {
    ...{ since: since.toISOString(), running: null, limit: null, attempts: null },
    until: null,
  };
  const { slots, running, own, share } = load;
  if (sync.run?.state === "running") {
    const until = waitsForQuota(sync.run, now) ? sync.run.quotaUntil : null;
    if (until !== null) return { ...none, reason: "rate_limited", until: until.toISOString() };
    return { ...none, reason: "taken_over", attempts: sync.run.attempts };
  }
  if (slots === 0) return { ...none, reason: "no_worker" };
  if (own >= share) return { ...none, reason: "environment_busy", running: own, limit: share };
  if (running >= slots) return { ...none, reason: "installation_busy", running, limit: slots };
  return { ...none, reason: "queued" };
}
