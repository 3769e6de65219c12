import { AppError, type EnvironmentContext, serverState, WindowCounts } from "#foundation";
import { recordOperation } from "#logs";

/** Anybody can be refused: an environment's log takes so many a minute of each process, the operator's all. */
const MOST_A_MINUTE = 120;
const noted = serverState(() => new WindowCounts());

/** Logs that somebody was not let in, where the environment's people look; `meta` holds no secret. */
export function noteRefusal(
  ctx: EnvironmentContext,
  {
    code,
    message,
    meta,
  }: { code: string; message: string; meta?: Readonly<Record<string, unknown>> },
): void {
  ctx.log.warn("agents.refused", { environmentId: ctx.environment.id, code, ...meta });
  if (!noted.of(ctx).admit(ctx.environment.id, { clock: ctx.clock, most: MOST_A_MINUTE })) return;
  recordOperation(ctx, {
    ...{ type: "admin", action: "change", message: "Refuse a client or browser of an agent" },
    ...{ state: "failed", startedAt: ctx.clock.now(), error: { type: code, message } },
    ...(meta === undefined ? {} : { meta }),
  });
}

/** Logs the refusal, and is what to throw. */
export function refuse(
  ctx: EnvironmentContext,
  refusal: {
    code: "forbidden" | "not_found";
    message: string;
    meta?: Readonly<Record<string, unknown>>;
  },
): AppError {
  noteRefusal(ctx, refusal);
  return new AppError(refusal.code, refusal.message);
}
