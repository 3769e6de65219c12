import { addAbortListener } from "node:events";

/** Waits for the work so long at most; true when it has ended. What has not continues by itself. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = await inTime(
    ms,
    work.then(() => true),
  );
  return ended === true;
}

/**
 * What the work comes to, or undefined when it takes longer than that; the work itself continues. Rejects with the
 * signal's reason when its caller has gone.
 */
export async function inTime<Result>(
  ms: number,
  work: Promise<Result>,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  const timely = Promise.race([work, late.promise]);
  try {
    return signal === undefined ? await timely : await whileWanted(signal, timely);
  } finally {
    clearTimeout(timer);
  }
}

/** What the work comes to. Rejects with the signal's reason when its caller has gone; the work itself continues. */
export async function whileWanted<Result>(
  signal: AbortSignal,
  work: Promise<Result>,
): Promise<Result> {
  // Nobody hears how it ends after that.
  work.catch(() => undefined);
  signal.throwIfAborted();
  const gone = Promise.withResolvers<never>();
  using _leaving = addAbortListener(signal, () => gone.reject(signal.reason));
  return await Promise.race([work, gone.promise]);
}
