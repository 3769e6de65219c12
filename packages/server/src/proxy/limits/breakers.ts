import { AppError, CircuitBreaker, SECOND } from "#foundation";

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5 * SECOND;
const MAX_ORIGINS = 1000;

/** Fails calls fast to an origin that takes no connections; answers of any status keep it closed. */
export class Breakers {
  readonly #breaker = new CircuitBreaker({
    failuresToOpen: FAILURES_TO_OPEN,
    pauseMs: () => OPEN_MS,
    maxNames: MAX_ORIGINS,
  });

  /** Throws upstream_circuit_open; of the calls after the pause one tries, the others are still refused. */
  require(origin: string): void {
    if (this.#breaker.isClosed(origin)) return;
    const now = performance.now();
    const { refusedUntil } = this.#breaker.admit(origin, now);
    if (refusedUntil !== undefined) throw refuse(origin, refusedUntil - now);
  }

  /** For how long calls are held back from now on; undefined where they are not. */
  heldForMs(origin: string): number | undefined {
    const until = this.#breaker.openUntil(origin);
    return until === undefined ? undefined : Math.max(0, until - performance.now());
  }

  isClosed(origin: string): boolean {
    return this.#breaker.isClosed(origin);
  }

  noteAnswer(origin: string): void {
    this.#breaker.noteSuccess(origin);
  }

  noteFailure(origin: string, error: unknown): void {
    if (isConnectFailure(error)) this.#breaker.noteFailure(origin, performance.now());
  }
}

const connectCodes = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

function isConnectFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string") {
    const isConnect = !("syscall" in error) || error.syscall === "connect";
    return connectCodes.test(error.code) && isConnect;
  }
  if (error instanceof AggregateError) return error.errors.some(isConnectFailure);
  return error.cause !== undefined && isConnectFailure(error.cause);
}

function refuse(origin: string, waitMs: number): AppError {
  const { hostname } = new URL(origin);
  const message = `${hostname} takes no connections at the moment; the call was not sent.`;
  const seconds = String(Math.max(1, Math.ceil(waitMs / SECOND)));
  return new AppError("upstream_circuit_open", message, { headers: { "Retry-After": seconds } });
}
