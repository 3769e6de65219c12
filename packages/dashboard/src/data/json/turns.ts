/** The page gets its turn after this time. A frame has 16 ms. */
const SLICE_MS = 8;

/** Long work in short tasks, between which the page answers. */
export class Turns {
  #startedAt = performance.now();

  /** At once, unless the work has taken its time already. */
  async letOthersRun(): Promise<void> {
    if (performance.now() - this.#startedAt < SLICE_MS) return;
    await nextTask();
    this.#startedAt = performance.now();
  }
}

/** Timers would wait 4 ms each time, and for a second in a tab that is not shown. */
async function nextTask(): Promise<void> {
  const { port1: heard, port2: said } = new MessageChannel();
  await new Promise((resolve) => {
    heard.onmessage = resolve;
    said.postMessage(undefined);
  });
  heard.close();
}
