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
  const gone = Promise.withResolvers<never>();
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  const leave = () => gone.reject(signal?.reason);
  signal?.addEventListener("abort", leave, { once: true });
  // Nobody hears how it ends after that.
  work.catch(() => undefined);
  try {
    signal?.throwIfAborted();
    return await Promise.race([work, late.promise, gone.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}
