import { type EnvironmentContext, newTimeId, type OperationId } from "#foundation";
import { announceChange } from "../live/change-announcer.ts";
import { tallyOperation } from "../metrics/operation-tallies.ts";
import { levelOf, type OperationSubject } from "../operation.ts";
import { presentActor } from "../operation-row.ts";
import { isStorable, toSimpleJson } from "../safe-json.ts";
import type { CallTemplate } from "../store.ts";
import { logWriterOf } from "../writing/log-writer.ts";

/** Undefined when a name needs the care of `recordOperation`. */
export function toCallTemplate(
  ctx: Pick<EnvironmentContext, "environment" | "actor">,
  { integration, connection }: OperationSubject,
): CallTemplate | undefined {
  const [integrationJson, connectionJson, actorJson] = [
    toSimpleJson({ ...integration }),
    toSimpleJson({ ...connection }),
    toSimpleJson(presentActor(ctx.actor)),
  ];
  if (integrationJson === undefined || connectionJson === undefined || actorJson === undefined) {
    return undefined;
  }
  return {
    environmentId: ctx.environment.id,
    integration: integration?.name,
    integrationJson,
    connectionJson,
    actorJson,
  };
}

export interface EndedCall {
  readonly message: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly startedAt: Date;
  /** Until the provider began to answer. */
  readonly upstreamMs?: number | undefined;
}

// Longer ones are cut by those who take more care.
const MAX_URL_CHARACTERS = 8000;

/** `recordOperation` for an answered call, in a fraction of the time; false when the row needs more care. */
export function recordCallFromTemplate(
  ctx: EnvironmentContext,
  template: CallTemplate,
  { message, method, url, status, startedAt, upstreamMs = 0 }: EndedCall,
): boolean {
  // What looks as if it held a credential is left to those who take it out.
  if (url.length > MAX_URL_CHARACTERS || !isStorable(url) || /[?#@]/.test(url)) return false;
  const state = status < 400 ? "success" : "failed";
  const endedMs = ctx.clock.now().getTime();
  announceChange(ctx, template.environmentId, "operations");
  tallyOperation(ctx, {
    environmentId: template.environmentId,
    type: "proxy",
    action: "call",
    integration: template.integration,
    state,
    endedMs,
    durationMs: endedMs - startedAt.getTime(),
  });
  logWriterOf(ctx).pushCall(ctx, {
    template,
    id: newTimeId<OperationId>(startedAt),
    state,
    level: levelOf(state),
    message,
    method,
    url,
    status,
    startedMs: startedAt.getTime(),
    endedMs,
    upstreamMs,
  });
  return true;
}
