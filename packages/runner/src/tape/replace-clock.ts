import { type RunTape, toDateMs } from "./run-tape.ts";

const { apply, construct, defineProperty, get, getOwnPropertyDescriptor } = Reflect;

/** Puts a clock in place of each that a function can ask, until the process is cleaned. */
export function replaceClock(tape: RunTape, mentions: (word: string) => boolean): void {
  const dateMs = () => toDateMs(tape.readTime());
  replaceDate(dateMs);
  replaceFormats(dateMs);
  const originMs = tape.readTime();
  const elapsedMs = () => tape.readTime() - originMs;
  const facade: object = process;
  const bigint = () => BigInt(Math.round(elapsedMs() * 1000)) * 1000n;
  const hrtime = (earlier?: readonly [number, number]) => {
    const ns = bigint() - (earlier === undefined ? 0n : toNs(earlier));
    return [Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)];
  };
  put(facade, "hrtime", Object.assign(hrtime, { bigint }));
  put(facade, "uptime", () => elapsedMs() / 1000);
  // Loaded at first use, which takes Node a while.
  if (mentions("performance")) {
    put(performance, "now", elapsedMs);
    put(performance, "timeOrigin", originMs);
  }
  if (mentions("Temporal")) replaceTemporal(() => tape.readTime());
}

function toNs([seconds, ns]: readonly [number, number]): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(ns);
}

function replaceDate(now: () => number): void {
  const RealDate = Date;
  function TapedDate(this: unknown, ...given: unknown[]): unknown {
    if (new.target === undefined) return new RealDate(now()).toString();
    return construct(RealDate, given.length === 0 ? [now()] : given, new.target);
  }
  TapedDate.prototype = RealDate.prototype;
  defineProperty(TapedDate, "name", { value: "Date", configurable: true });
  defineProperty(TapedDate, "length", { value: 7, configurable: true });
  Object.assign(TapedDate, { parse: RealDate.parse, UTC: RealDate.UTC, now });
  defineProperty(RealDate.prototype, "constructor", {
    value: TapedDate,
    writable: true,
    configurable: true,
    enumerable: false,
  });
  put(globalThis, "Date", TapedDate);
}

/** A format without a date means the time that it is. */
function replaceFormats(now: () => number): void {
  const { prototype } = Intl.DateTimeFormat;
  const format = getOwnPropertyDescriptor(prototype, "format")?.get;
  const formatToParts: unknown = get(prototype, "formatToParts");
  if (format === undefined) return;
  defineProperty(prototype, "format", {
    configurable: true,
    enumerable: false,
    get() {
      const own: unknown = apply(format, this, []);
      return (date: unknown) => invoke(own, undefined, [date === undefined ? now() : date]);
    },
  });
  put(prototype, "formatToParts", function (this: unknown, date: unknown) {
    return invoke(formatToParts, this, [date === undefined ? now() : date]);
  });
}

function replaceTemporal(readMs: () => number): void {
  const temporal: unknown = get(globalThis, "Temporal");
  const call = (target: unknown, name: string, ...given: unknown[]) =>
    invoke(get(Object(target), name), target, given);
  if (typeof temporal !== "object" || temporal === null) return;
  const now: unknown = get(temporal, "Now");
  const instant = () => {
    const ns = BigInt(Math.round(readMs() * 1000)) * 1000n;
    return call(get(temporal, "Instant"), "fromEpochNanoseconds", ns);
  };
  const zoned = (zone: unknown = call(now, "timeZoneId")) =>
    call(instant(), "toZonedDateTimeISO", zone);
  put(Object(now), "instant", instant);
  put(Object(now), "zonedDateTimeISO", zoned);
  for (const kind of ["DateTime", "Date", "Time"]) {
    put(Object(now), `plain${kind}ISO`, (zone: unknown) => call(zoned(zone), `toPlain${kind}`));
  }
}

function invoke(method: unknown, target: unknown, given: readonly unknown[]): unknown {
  if (typeof method !== "function")
    throw new TypeError("The clock of the process is not complete.");
  return apply(method, target, given);
}

/** The process is cleaned before it serves another run, which takes it back. */
export function put(target: object, name: string, value: unknown): void {
  defineProperty(target, name, {
    value,
    configurable: true,
    enumerable: getOwnPropertyDescriptor(target, name)?.enumerable ?? false,
    writable: true,
  });
}
