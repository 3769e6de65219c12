import { RefreshFailure } from "#auth-modes";
import { AppError, addMs, type Clock, type Keys, MINUTE, SECOND } from "#platform";
import type { Egress, EgressResponse } from "#platform/egress";

const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 30 * SECOND;
const LONGEST_PAUSE_MS = 5 * MINUTE;
// Short, since the time that a request may take has begun.
const PROBE_PATIENCE_MS = 5 * SECOND;
// The one that has not failed for longest gives way: hosts may be named by whoever configures.
const MAX_HOSTS = 1000;

/** A token endpoint was not asked, because its host has just failed many times in a row. */
export class HostPaused extends RefreshFailure {}

interface HostState {
  /** In a row, over all connections. */
  failures: number;
  pausedUntil: Date | undefined;
  /** Resolves when the one request that tries the host after a pause has ended. */
  probe: Promise<void> | undefined;
}

const hostsOf = new WeakMap<Keys, Map<string, HostState>>();

/**
 * Egress for token endpoints: a host that is down sees one request per pause instead of one for each
 * connection. Forced attempts always go out.
 */
export function guardHosts(
  { http, clock, keys }: { http: Egress; clock: Clock; keys: Keys },
  { force }: { force: boolean },
): Egress {
  const hosts = hostsOf.get(keys) ?? new Map<string, HostState>();
  hostsOf.set(keys, hosts);
  return {
    async request(request) {
      const { host } = new URL(request.url);
      using _probe = force ? undefined : await passPause(hosts, host, clock);
      try {
        const response = await http.request(request);
        if (isOutage(response)) noteFailure(hosts, host, clock.now());
        else hosts.delete(host);
        return response;
      } catch (error) {
        const isUnreachable = error instanceof AppError && error.code.startsWith("upstream_");
        if (isUnreachable) noteFailure(hosts, host, clock.now());
        throw error;
      }
    },
    servers: http.servers,
    dispatch: (options, handler) => http.dispatch(options, handler),
    requireAllowedUrl: async (url) => await http.requireAllowedUrl(url),
    isOpened: (url) => http.isOpened(url),
    async [Symbol.asyncDispose]() {},
  };
}

/** After a pause one request goes first and finds out for all; throws HostPaused while none may. */
async function passPause(
  hosts: ReadonlyMap<string, HostState>,
  host: string,
  clock: Clock,
): Promise<Disposable | undefined> {
  const waited = hosts.get(host)?.probe;
  if (waited !== undefined) await endsWithin(PROBE_PATIENCE_MS, waited);
  const state = hosts.get(host);
  if (state?.pausedUntil === undefined) return undefined;
  const now = clock.now();
  if (state.pausedUntil > now) throw toHostPaused(host, state.pausedUntil, now);
  if (state.probe !== undefined) throw toHostPaused(host, nextPause(state, now), now);
  const { promise, resolve } = Promise.withResolvers<void>();
  state.probe = promise;
  return {
    [Symbol.dispose]() {
      state.probe = undefined;
      resolve();
    },
  };
}

async function endsWithin(ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}

function isOutage({ status }: EgressResponse): boolean {
  return status >= 500 || status === 429;
}

function noteFailure(hosts: Map<string, HostState>, host: string, now: Date): void {
  const state = hosts.get(host) ?? { failures: 0, pausedUntil: undefined, probe: undefined };
  hosts.delete(host);
  hosts.set(host, state);
  const [oldest] = hosts.keys();
  if (hosts.size > MAX_HOSTS && oldest !== undefined) hosts.delete(oldest);
  state.failures += 1;
  if (state.failures >= FAILURES_TO_OPEN) state.pausedUntil = nextPause(state, now);
}

function nextPause({ failures }: HostState, now: Date): Date {
  const doublings = Math.min(Math.max(failures - FAILURES_TO_OPEN, 0), 10);
  return addMs(now, Math.min(FIRST_PAUSE_MS * 2 ** doublings, LONGEST_PAUSE_MS));
}

function toHostPaused(host: string, until: Date, now: Date): HostPaused {
  return new HostPaused(
    "unavailable",
    `${host} has failed for several connections in a row; it is asked again later.`,
    { retryAfterMs: until.getTime() - now.getTime() },
  );
}
