import { AppError, SECOND } from "#platform";

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5 * SECOND;
const MAX_ORIGINS = 1000;

interface Circuit {
  failures: number;
  /** By `performance.now()`; a call that comes later is the one that tries. */
  openUntil: number;
}

/** Fails calls fast to an origin that takes no connections; answers of any status keep it closed. */
export class Breakers {
  readonly #circuits = new Map<string, Circuit>();

  /** Throws upstream_circuit_open; of the calls after the pause one tries, the others are still refused. */
  require(origin: string): void {
    const circuit = this.#circuits.get(origin);
    if (circuit === undefined || circuit.failures < FAILURES_TO_OPEN) return;
    const now = performance.now();
    if (now < circuit.openUntil) throw refuse(origin, circuit.openUntil - now);
    circuit.openUntil = now + OPEN_MS;
  }

  isClosed(origin: string): boolean {
    return !this.#circuits.has(origin);
  }

  noteAnswer(origin: string): void {
    if (this.#circuits.size > 0) this.#circuits.delete(origin);
  }

  noteFailure(origin: string, error: unknown): void {
    if (!isConnectFailure(error)) return;
    const circuit = this.#circuits.get(origin) ?? { failures: 0, openUntil: 0 };
    circuit.failures += 1;
    circuit.openUntil = performance.now() + OPEN_MS;
    this.#circuits.delete(origin);
    this.#circuits.set(origin, circuit);
    const [oldest] = this.#circuits.keys();
    if (this.#circuits.size > MAX_ORIGINS && oldest !== undefined) this.#circuits.delete(oldest);
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
