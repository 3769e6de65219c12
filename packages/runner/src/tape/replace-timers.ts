import { put } from "./replace-clock.ts";
import type { RunTape } from "./run-tape.ts";

const real = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate };
const promisified = Symbol.for("nodejs.util.promisify.custom");

type Callback = (...args: unknown[]) => void;

/** What a function holds of a timer of its own. */
class TapedTimer {
  readonly stop: () => void;
  readonly restart: () => void;
  readonly hold: (isHeld: boolean) => void;

  constructor(parts: { stop: () => void; restart: () => void; hold: (isHeld: boolean) => void }) {
    this.stop = parts.stop;
    this.restart = parts.restart;
    this.hold = parts.hold;
  }

  ref(): this {
    this.hold(true);
    return this;
  }

  unref(): this {
    this.hold(false);
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    this.restart();
    return this;
  }

  close(): this {
    this.stop();
    return this;
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  [Symbol.toPrimitive](): number {
    return numberOf(this);
  }
}

const numbers = new WeakMap<TapedTimer, number>();
const byNumber = new Map<number, TapedTimer>();

/** As Node does, for code that keeps timers as numbers. */
function numberOf(timer: TapedTimer): number {
  const known = numbers.get(timer);
  if (known !== undefined) return known;
  const number = 1_000_000 + byNumber.size;
  numbers.set(timer, number);
  byNumber.set(number, timer);
  return number;
}

/** Puts timers in place that the tape notes and plays, until the process is cleaned. */
export function replaceTimers(tape: RunTape, getModule: (name: string) => object): void {
  const timeout = (run: Callback, ms?: number, ...args: unknown[]) =>
    start(tape, { run: () => run(...args), ms, isRepeated: false });
  const interval = (run: Callback, ms?: number, ...args: unknown[]) =>
    start(tape, { run: () => run(...args), ms, isRepeated: true });
  const immediate = (run: Callback, ...args: unknown[]) =>
    start(tape, { run: () => run(...args), ms: undefined, isRepeated: false });
  const wait = (ms?: number, value?: unknown, options?: WaitOptions) =>
    waitFor((done) => timeout(done, ms), value, options);
  const waitImmediate = (value?: unknown, options?: WaitOptions) =>
    waitFor((done) => immediate(done), value, options);
  Object.assign(timeout, { [promisified]: wait });
  Object.assign(immediate, { [promisified]: waitImmediate });
  const all = {
    setTimeout: timeout,
    setInterval: interval,
    setImmediate: immediate,
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval),
    clearImmediate: clear(real.clearImmediate),
  };
  for (const target of [globalThis, getModule("timers")]) {
    for (const [name, value] of Object.entries(all)) put(target, name, value);
  }
  const promises = getModule("timers/promises");
  put(promises, "setTimeout", wait);
  put(promises, "setImmediate", waitImmediate);
  put(
    promises,
    "setInterval",
    async function* (ms?: number, value?: unknown, options?: WaitOptions) {
      for (;;) yield await wait(ms, value, options);
    },
  );
  const scheduler: unknown = Reflect.get(promises, "scheduler");
  put(Object(scheduler), "wait", (ms?: number, options?: WaitOptions) =>
    wait(ms, undefined, options),
  );
  put(Object(scheduler), "yield", () => waitImmediate());
  put(AbortSignal, "timeout", (ms: number) => {
    const controller = new AbortController();
    const reason = () =>
      new DOMException("The operation was aborted due to timeout", "TimeoutError");
    timeout(() => controller.abort(reason()), ms);
    return controller.signal;
  });
}

function start(
  tape: RunTape,
  { run, ms, isRepeated }: { run: () => void; ms: number | undefined; isRepeated: boolean },
): TapedTimer {
  let stopReal = () => {};
  let holdReal = (_isHeld: boolean) => {};
  let name = "";
  let isStopped = false;
  const fire = () => {
    if (isStopped) return;
    if (isRepeated) again();
    run();
  };
  const launch = (fired: () => void) => {
    if (ms === undefined && !isRepeated) {
      const handle = real.setImmediate(fired);
      stopReal = () => real.clearImmediate(handle);
      return;
    }
    const handle = real.setTimeout(fired, ms);
    stopReal = () => real.clearTimeout(handle);
    holdReal = (isHeld) => void (isHeld ? handle.ref() : handle.unref());
  };
  const again = () => {
    name = tape.addTimer(fire, launch);
  };
  const stop = () => {
    isStopped = true;
    tape.stopTimer(name);
    stopReal();
  };
  const restart = () => {
    tape.stopTimer(name);
    stopReal();
    isStopped = false;
    again();
  };
  again();
  return new TapedTimer({ stop, restart, hold: (isHeld) => holdReal(isHeld) });
}

function clear(other: (timer: never) => void): (timer: unknown) => void {
  return (timer) => {
    const taped =
      typeof timer === "number" || typeof timer === "string" ? byNumber.get(Number(timer)) : timer;
    if (taped instanceof TapedTimer) taped.stop();
    else if (timer !== undefined && timer !== null) other(timer as never);
  };
}

interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

function waitFor(
  begin: (done: () => void) => TapedTimer,
  value: unknown,
  { signal }: WaitOptions = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      timer?.stop();
      const error = new Error("The operation was aborted", { cause: signal?.reason });
      reject(Object.assign(error, { name: "AbortError", code: "ABORT_ERR" }));
    };
    let timer: TapedTimer | undefined;
    if (signal?.aborted === true) {
      abort();
      return;
    }
    signal?.addEventListener("abort", abort, { once: true });
    timer = begin(() => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    });
  });
}
