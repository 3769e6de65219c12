import type { ServerNotification } from "@modelcontextprotocol/server";
import { SECOND } from "#platform";

const EVERY_MS = 10 * SECOND;

/** Says at once, and every ten seconds until it is disposed, that the call runs; nothing without a token. */
export function reportProgress(
  notify: (notification: ServerNotification) => Promise<void>,
  progressToken: string | number | undefined,
): AsyncDisposable {
  if (progressToken === undefined) return { async [Symbol.asyncDispose]() {} };
  const startedAt = performance.now();
  // Each after the one before; a client that has gone away hears nothing, and needs nothing.
  let last = Promise.resolve();
  const send = () => {
    const progress = Math.round((performance.now() - startedAt) / SECOND);
    const message = progress === 0 ? "The tool runs." : `The tool runs since ${progress} s.`;
    const params = { progressToken, progress, message };
    last = last
      .then(async () => await notify({ method: "notifications/progress", params }))
      .catch(() => undefined);
  };
  send();
  const timer = setInterval(send, EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await last;
    },
  };
}
