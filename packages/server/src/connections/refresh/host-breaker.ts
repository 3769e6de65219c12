import { ProviderFailure } from "#auth-modes";
import {
  AppError,
  backoffMs,
  CircuitBreaker,
  inTime,
  MINUTE,
  SECOND,
  type SystemContext,
  serverState,
} from "#foundation";
import type { Egress, EgressResponse } from "#foundation/egress";

const FAILURES_TO_OPEN = 5;
const PAUSES = { firstMs: 30 * SECOND, longestMs: 5 * MINUTE };
// Short, since the time that a request may take has begun.
const PROBE_PATIENCE_MS = 5 * SECOND;
// Bounded, since users name hosts in their settings.
const MAX_HOSTS = 1000;

/** What a server knows of the hosts of token endpoints, over all connections. */
class TokenHosts {
  readonly breaker = new CircuitBreaker({
    failuresToOpen: FAILURES_TO_OPEN,
    pauseMs: (failures) => backoffMs(PAUSES, failures - FAILURES_TO_OPEN + 1),
    maxNames: MAX_HOSTS,
  });
  /** Resolve when the one request that tries the host after a pause has ended. */
  readonly probes = new Map<string, Promise<void>>();
}

/** Learns of hosts that are kept from calls, and of those that answer. */
export interface HostWatcher {
  down(host: string, reason: string, heldForMs: number): void;
  reached(host: string): void;
}

const tokenHosts = serverState(() => new TokenHosts());

/**
 * Egress for token endpoints: a host that is down sees one request per pause instead of one for each
 * connection. Forced attempts always go out.
 */
export function guardHosts(
  { http, clock, state }: Pick<SystemContext, "http" | "clock" | "state">,
  { force, watcher }: { force: boolean; watcher?: HostWatcher },
): Egress {
  const hosts = tokenHosts.of({ state });
  const { breaker } = hosts;
  const nowMs = () => clock.now().getTime();
  const noteFailure = (host: string, reason: string) => {
    breaker.noteFailure(host, nowMs());
    const until = breaker.openUntil(host);
    if (until !== undefined) watcher?.down(host, reason, until - nowMs());
  };
  return {
    async request(request) {
      const { host } = new URL(request.url);
      using probe = force ? undefined : await passPause(hosts, host, { nowMs, watcher });
      try {
        const response = await http.request(request);
        if (isOutage(response)) noteFailure(host, `${host} answers ${response.status}.`);
        else {
          breaker.noteSuccess(host);
          watcher?.reached(host);
        }
        return response;
      } catch (error) {
        const isUnreachable = error instanceof AppError && error.code.startsWith("upstream_");
        if (isUnreachable) noteFailure(host, error.message);
        else if (probe !== undefined) breaker.giveBack(host, nowMs());
        throw error;
      }
    },
    servers: http.servers,
    dispatch: (options, handler) => http.dispatch(options, handler),
    createSocket: () => http.createSocket(),
    requireAllowedUrl: async (url) => await http.requireAllowedUrl(url),
    isOpened: (url) => http.isOpened(url),
    async [Symbol.asyncDispose]() {},
  };
}

/** After a pause one request goes first and finds out for all; throws a held back failure while none may. */
async function passPause(
  { breaker, probes }: TokenHosts,
  host: string,
  { nowMs, watcher }: { nowMs: () => number; watcher: HostWatcher | undefined },
): Promise<Disposable | undefined> {
  const waited = probes.get(host);
  if (waited !== undefined) await inTime(PROBE_PATIENCE_MS, waited);
  const now = nowMs();
  const { refusedUntil, tries } = breaker.admit(host, now);
  if (refusedUntil !== undefined) {
    const failure = toHostPaused(host, refusedUntil - now);
    watcher?.down(host, failure.message, refusedUntil - now);
    throw failure;
  }
  if (!tries) return undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  probes.set(host, promise);
  return {
    [Symbol.dispose]() {
      probes.delete(host);
      resolve();
    },
  };
}

function isOutage({ status }: EgressResponse): boolean {
  return status >= 500 || status === 429;
}

/** A token endpoint is not asked, because its host has just failed many times in a row. */
function toHostPaused(host: string, retryAfterMs: number): ProviderFailure {
  return new ProviderFailure(
    "unavailable",
    `${host} has failed for several connections in a row; it is asked again later.`,
    { retryAfterMs, wasHeldBack: true },
  );
}
