import { type EnvironmentContext, newTimeId, type OperationId } from "#platform";
import { logWriterOf } from "./log-writer.ts";
import { levelOf, type OperationSubject } from "./operation.ts";
import { presentActor } from "./operation-row.ts";
import { toSimpleJson } from "./safe-json.ts";

/** What the calls of one caller over one connection have in common, as the end of their rows. */
export type CallTemplate = string & { readonly brand: "CallTemplate" };

/** Undefined when a name needs the care of `recordOperation`. */
export function toCallTemplate(
  ctx: Pick<EnvironmentContext, "environment" | "actor">,
  { integration, connection }: OperationSubject,
): CallTemplate | undefined {
  const text = toSimpleJson({
    environment_id: ctx.environment.id,
    type: "proxy",
    action: "call",
    integration,
    connection,
    actor: presentActor(ctx.actor),
  });
  return text === undefined ? undefined : asTemplate(text.slice(1));
}

// A text of its own kind, so that no other is taken for one.
function asTemplate(text: string): CallTemplate {
  return text as CallTemplate;
}

export interface EndedCall {
  readonly message: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly startedAt: Date;
}

/** `recordOperation` for an answered call, in a fraction of the time; false when the row needs more care. */
export function recordCallFromTemplate(
  ctx: EnvironmentContext,
  template: CallTemplate,
  { message, method, url, status, startedAt }: EndedCall,
): boolean {
  const texts = toSimpleJson({ message, request: { method, url } });
  if (texts === undefined) return false;
  const state = status < 400 ? "success" : "failed";
  const id = newTimeId<OperationId>(startedAt);
  const start = startedAt.toISOString();
  const end = ctx.clock.now().toISOString();
  const row = `{"id":"${id}","state":"${state}","level":"${levelOf(state)}","created_at":"${start}","started_at":"${start}","ended_at":"${end}","response":{"code":${status}},${texts.slice(1, -1)},${template}`;
  logWriterOf(ctx).push("operations", row);
  return true;
}
