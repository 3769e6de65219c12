import type { Meta } from "./operation.ts";

/** Milliseconds that parts of a call to a provider took. */
interface CallTimingMs {
  readonly credentials?: number | undefined;
  readonly wait?: number | undefined;
  readonly upstream?: number | undefined;
}

const HUNDREDTH = 100;

/** As precise as a row needs it. */
export function roundMs(ms: number): number {
  return Math.round(ms * HUNDREDTH) / HUNDREDTH;
}

/** As a log row stores it, under `timing` of its `meta`: parts that took no time are left out. */
export function toTimingMeta(timing: CallTimingMs | undefined): Meta | undefined {
  if (timing === undefined) return undefined;
  const parts = Object.entries(timing)
    .map(([part, ms]) => [part, roundMs(ms ?? 0)] as const)
    .filter(([, ms]) => ms > 0);
  return parts.length === 0 ? undefined : { timing: Object.fromEntries(parts) };
}

type Json = Readonly<Record<string, unknown>> | null;

/** The parts of a call's duration, and what of its `meta` is not about them; null for calls that were not timed. */
export function splitTiming(meta: Json, durationMs: number | null) {
  const { timing, ...others } = meta ?? {};
  const rest = Object.keys(others).length === 0 ? null : others;
  if (typeof timing !== "object" || timing === null) return { timing: null, meta: rest };
  const { credentials, wait, upstream } = Object(timing);
  const parts = [credentials, wait, upstream].map((ms) => Math.round(Number(ms ?? 0)));
  const [credentials_ms = 0, wait_ms = 0, upstream_ms = 0] = parts;
  const known = credentials_ms + wait_ms + upstream_ms;
  const other_ms = Math.max(0, (durationMs ?? 0) - known);
  return { timing: { credentials_ms, wait_ms, upstream_ms, other_ms }, meta: rest };
}
