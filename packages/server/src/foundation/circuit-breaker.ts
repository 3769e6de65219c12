import { LRUCache } from "lru-cache";

export interface CircuitBreakerOptions {
  /** In a row. */
  readonly failuresToOpen: number;
  /** How long it stays open after so many failures in a row. */
  readonly pauseMs: (failures: number) => number;
  /** Names that are known at once; those not used for longest are forgotten. */
  readonly maxNames: number;
}

interface Circuit {
  failures: number;
  /** In milliseconds, by the clock of the caller. */
  openUntil: number;
}

/** Keeps calls from what has failed many times in a row; after each pause one of them tries it. */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  readonly #circuits: LRUCache<string, Circuit>;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    this.#circuits = new LRUCache({ max: options.maxNames });
  }

  /** Whether nothing has failed since the last success. */
  isClosed(name: string): boolean {
    return !this.#circuits.has(name);
  }

  /** The time until which calls are kept back; undefined where none is. */
  openUntil(name: string): number | undefined {
    const circuit = this.#circuits.get(name);
    const isOpen = circuit !== undefined && circuit.failures >= this.#options.failuresToOpen;
    return isOpen ? circuit.openUntil : undefined;
  }

  /** The time until which no call may go; undefined where one may, which tries it for all others if it was open. */
  admit(name: string, nowMs: number): { readonly refusedUntil?: number; readonly tries: boolean } {
    const circuit = this.#circuits.get(name);
    if (circuit === undefined || circuit.failures < this.#options.failuresToOpen) {
      return { tries: false };
    }
    if (nowMs < circuit.openUntil) return { refusedUntil: circuit.openUntil, tries: false };
    circuit.openUntil = nowMs + this.#options.pauseMs(circuit.failures);
    return { tries: true };
  }

  /** The one that tried has come to nothing, neither success nor failure: another may try at once. */
  giveBack(name: string, nowMs: number): void {
    const circuit = this.#circuits.get(name);
    if (circuit !== undefined) circuit.openUntil = nowMs;
  }

  noteSuccess(name: string): void {
    if (this.#circuits.size > 0) this.#circuits.delete(name);
  }

  noteFailure(name: string, nowMs: number): void {
    const circuit = this.#circuits.get(name) ?? { failures: 0, openUntil: 0 };
    circuit.failures += 1;
    circuit.openUntil = nowMs + this.#options.pauseMs(circuit.failures);
    this.#circuits.set(name, circuit);
  }
}
