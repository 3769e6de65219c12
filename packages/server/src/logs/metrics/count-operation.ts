import type { EnvironmentContext, SystemContext } from "#foundation";
import { announceOperation } from "../live/change-announcer.ts";
import type { EndState, OperationInput } from "../operation.ts";
import type { EndedRow } from "../store.ts";
import { tallyOperation } from "./operation-tallies.ts";

type Counting = Pick<EnvironmentContext, "environment" | "state" | "db" | "log">;

/** Counts and announces an operation that has ended: also one that the log leaves out for want of room. */
export function countOperation(
  ctx: Counting,
  { type, action, integration, function: ran }: OperationInput,
  end: { readonly state: EndState; readonly startedAt: Date; readonly endedAt: Date },
): void {
  announceOperation(ctx, ctx.environment.id, { type, action });
  const endedMs = end.endedAt.getTime();
  tallyOperation(ctx, {
    environmentId: ctx.environment.id,
    type,
    action,
    integration: integration?.name,
    function: ran?.name,
    state: end.state,
    endedMs,
    durationMs: endedMs - end.startedAt.getTime(),
  });
}

/** Counts and announces one that ended in the database, which knows what it was. */
export function countEndedRow(
  ctx: Pick<SystemContext, "state" | "db" | "log">,
  { integration, function: ran, startedAt, ...row }: EndedRow,
  { state, endedAt }: { readonly state: EndState; readonly endedAt: Date },
): void {
  announceOperation(ctx, row.environmentId, row);
  tallyOperation(ctx, {
    ...row,
    integration: integration ?? undefined,
    function: ran ?? undefined,
    state,
    endedMs: endedAt.getTime(),
    durationMs: endedAt.getTime() - startedAt.getTime(),
  });
}
