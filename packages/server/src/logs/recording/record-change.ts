import type { EnvironmentContext } from "#foundation";
import type { Meta, OperationSubject } from "../operation.ts";
import { recordOperation } from "./record-operation.ts";

/** Logs that somebody changed how an environment is set up; `meta` names what, never a secret. */
export function recordChange(
  ctx: EnvironmentContext,
  { subject, ...change }: { message: string; subject?: OperationSubject; meta?: Meta },
): void {
  recordOperation(ctx, {
    type: "admin",
    action: "change",
    ...subject,
    ...change,
    state: "success",
    startedAt: ctx.clock.now(),
  });
}
