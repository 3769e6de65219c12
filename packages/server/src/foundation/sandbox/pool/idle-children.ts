import type { FunctionChild } from "../child/function-child.ts";

/** How long an unused process stays when there are no more than `maxIdle`. */
const REST_MS = 5 * 60_000;

/** Least valuable first: by last use, the fresh spare at the end. */
export function listIdle(children: ReadonlySet<FunctionChild>): FunctionChild[] {
  return children
    .values()
    .filter((child) => child.isIdle)
    .toArray()
    .toSorted((a, b) => Number(a.isGeneric) - Number(b.isGeneric) || a.lastUsedAt - b.lastUsedAt);
}

/** Ends those that have been idle for long; answers in how many milliseconds the next one is due. */
export function endRested(
  children: ReadonlySet<FunctionChild>,
  { maxIdle, surplusMs }: { readonly maxIdle: number; readonly surplusMs: number },
): number | undefined {
  const now = performance.now();
  const idle = listIdle(children);
  const surplus = idle.length - maxIdle;
  let nextMs: number | undefined;
  for (const [index, child] of idle.entries()) {
    const leftMs = child.lastUsedAt + (index < surplus ? surplusMs : REST_MS) - now;
    if (leftMs <= 0 || child.isWorn) child.end({ kind: "closed" });
    else nextMs = Math.min(nextMs ?? leftMs, leftMs);
  }
  return nextMs;
}
