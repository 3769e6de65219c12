import { withinSpan } from "./current-span.ts";
import type { Span, SpanStart } from "./span.ts";

interface Traced {
  readonly trace: Span;
}

export interface TracedWork extends SpanStart {
  readonly name: string;
  /** A code of ours for what was thrown; nothing of an error's text leaves. */
  readonly codeOf: (error: unknown) => string;
}

/** Does the work as a span of its own; what it throws is noted by its code. */
export async function traced<Ctx extends Traced, Result>(
  ctx: Ctx,
  { name, codeOf, ...start }: TracedWork,
  work: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  const trace = ctx.trace.child(name, start);
  try {
    return await withinSpan(trace, async () => await work({ ...ctx, trace }));
  } catch (error) {
    trace.fail(codeOf(error));
    throw error;
  } finally {
    trace.end();
  }
}
