import { AsyncResource } from "node:async_hooks";

const TICK_MS = 100;
/** An interval that stops and starts with each statement would cost what it is to spare. */
const MAX_IDLE_TICKS = 50;

interface Due {
  readonly at: number;
  readonly act: () => void;
}

// Process-wide: one timer for all who wait.
const pending = new Set<Due>();
// What is due acts for nobody's request.
const nobody = new AsyncResource("CoarseTimers");
// Process-wide: one timer for all who wait.
let ticking: NodeJS.Timeout | undefined;
// Process-wide: one timer for all who wait.
let idleTicks = 0;

/**
 * Acts after about `ms`, up to 100 ms later, unless the returned function is called before. For bounds that are almost
 * never reached: a timer of Node for each statement took a tenth of a request. Does not keep the process.
 */
export function afterAbout(ms: number, act: () => void): () => void {
  const due = { at: performance.now() + ms, act };
  pending.add(due);
  ticking ??= nobody.runInAsyncScope(() => setInterval(tick, TICK_MS).unref());
  return () => void pending.delete(due);
}

function tick(): void {
  idleTicks = pending.size === 0 ? idleTicks + 1 : 0;
  if (idleTicks > MAX_IDLE_TICKS) {
    clearInterval(ticking);
    ticking = undefined;
    return;
  }
  const now = performance.now();
  for (const due of pending) {
    if (due.at > now) continue;
    pending.delete(due);
    due.act();
  }
}
