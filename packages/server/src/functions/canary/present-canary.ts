import type { CanarySide, PresentedCanary } from "@jackfield/contract";
import { addMs } from "#foundation";
import { type Canary, LONGEST_MS } from "./canary.ts";
import type { ComparedCanary, ComparedFunction } from "./compare-canary.ts";
import { type Histogram, quantileOf } from "./histogram.ts";
import type { Side, Verdict } from "./judge.ts";

const MOST_FUNCTIONS = 200;

export function presentCanary(canary: Canary, compared: ComparedCanary): PresentedCanary {
  return {
    ...presentOutline(canary, compared),
    functions: compared.functions.slice(0, MOST_FUNCTIONS).map(presentFunction),
  };
}

export function presentOutline(
  canary: Canary,
  { verdict, runs }: { readonly verdict: Verdict; readonly runs: number },
): Omit<PresentedCanary, "functions"> {
  const { settings, actor, endedAt } = canary;
  return {
    ...{ id: canary.id, state: canary.state, connections: settings.connections },
    ...{ chosen_connections: canary.chosen, minutes: settings.minutes, limits: settings.limits },
    removes: { functions: canary.removed.length, models: [...canary.deletedModels] },
    ...{ verdict, runs, message: canary.reason ?? describeNext(canary, { verdict, runs }) },
    started_at: canary.startedAt.toISOString(),
    started_by: actor.name ?? actor.type,
    ends_at: canary.endsAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    by_itself: canary.byItself,
    deployment_id: canary.deploymentId,
  };
}

function describeNext(
  { endsAt, startedAt, settings }: Canary,
  { verdict, runs }: { readonly verdict: Verdict; readonly runs: number },
): string {
  const { min_runs: wanted } = settings.limits;
  const last = toMinute(addMs(startedAt, LONGEST_MS));
  const end = toMinute(endsAt);
  if (verdict === "worse") return "It is worse than the deployed version and will be rolled back.";
  if (verdict === "unclear") {
    return `Something is beyond a limit, perhaps by chance. It continues until that is clear, until ${last} at most.`;
  }
  if (runs < wanted) {
    return `It is promoted at ${end} at the earliest, after ${wanted} runs of the new version; there were ${runs}. Without them it is rolled back at ${last}.`;
  }
  return `It is promoted at ${end} if nothing is beyond a limit then.`;
}

/** As people read it: 2026-03-01 14:00 UTC. */
function toMinute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function presentFunction({ fn, verdict, findings, sides }: ComparedFunction) {
  return {
    ...{ provider_config_key: fn.integrationKey, type: fn.type, name: fn.name },
    change: fn.functionId === null ? ("new" as const) : ("updated" as const),
    ...{ verdict, findings: [...findings] },
    canary: presentSide(sides.canary),
    outside: presentSide(sides.outside),
    before: presentSide(sides.before),
  };
}

function presentSide(side: Side): CanarySide {
  return {
    ...{ runs: side.runs, failures: side.failures, synced_runs: side.added.count },
    duration_ms: presentHistogram(side.duration),
    added: presentHistogram(side.added),
    updated: presentHistogram(side.updated),
    deleted: presentHistogram(side.deleted),
  };
}

function presentHistogram(histogram: Histogram) {
  return {
    p50: quantileOf(histogram, 0.5) ?? null,
    p95: quantileOf(histogram, 0.95) ?? null,
    total: histogram.total,
  };
}
