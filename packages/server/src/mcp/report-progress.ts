import type { ServerNotification } from "@modelcontextprotocol/server";
import { SECOND } from "#foundation";
import type { RunCaller } from "#slice";

const EVERY_MS = 10 * SECOND;
/** Reports of the tool that follow each other sooner are left out, but for the last one of its total. */
const LEAST_PAUSE_MS = 20;
/** So much the server's own reports grow. */
const TICK = 1e-6;

interface ProgressReport extends AsyncDisposable {
  /** What the tool itself says; from then on nothing else is said. */
  report: RunCaller["reportProgress"];
}

/** Says at once, and every ten seconds until it is disposed, that the call runs; nothing without a token. */
export function reportProgress(
  notify: (notification: ServerNotification) => Promise<void>,
  progressToken: string | number | undefined,
): ProgressReport {
  if (progressToken === undefined) return { report: () => {}, async [Symbol.asyncDispose]() {} };
  const startedAt = performance.now();
  // Each after the one before; a client that has gone away hears nothing, and needs nothing.
  let last = Promise.resolve();
  const send = (values: { progress: number; total?: number; message?: string }) => {
    const params = { progressToken, ...values };
    last = last
      .then(async () => await notify({ method: "notifications/progress", params }))
      .catch(() => undefined);
  };
  // Progress has to grow, also from what the server says to what the tool says then, in its own unit.
  let reached = 0;
  let reportedAt = -Infinity;
  const tick = () => {
    const seconds = Math.round((performance.now() - startedAt) / SECOND);
    const message =
      seconds === 0 ? "The tool is running." : `The tool has been running for ${seconds} s.`;
    send({ progress: reached, message });
    reached += TICK;
  };
  tick();
  const timer = setInterval(tick, EVERY_MS);
  return {
    report: ({ progress, total, message }) => {
      clearInterval(timer);
      const now = performance.now();
      if (progress < reached) return;
      if (now - reportedAt < LEAST_PAUSE_MS && progress !== total) return;
      reached = progress + TICK;
      reportedAt = now;
      send({
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await last;
    },
  };
}
