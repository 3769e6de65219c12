import { AppError, type EnvironmentContext, serverState } from "#foundation";

/** Bytes of bodies that are in memory until their webhook is stored or refused. */
export interface BodyHold extends Disposable {
  /** Throws `overloaded` where there is no room for that many more. */
  add(bytes: number): void;
}

const MAX_HELD_BYTES = 256 * 1024 * 1024;
// A flood of one environment leaves room for the others.
const MAX_ENVIRONMENT_BYTES: number = MAX_HELD_BYTES / 2;

class HeldBodies {
  #total = 0;
  readonly #byEnvironment = new Map<string, number>();

  add(environmentId: string, bytes: number): void {
    const own = (this.#byEnvironment.get(environmentId) ?? 0) + bytes;
    if (this.#total + bytes > MAX_HELD_BYTES || own > MAX_ENVIRONMENT_BYTES) {
      throw new AppError("overloaded", "Too many webhooks are being received; send it again.", {
        headers: { "Retry-After": "1", connection: "close" },
      });
    }
    this.#total += bytes;
    this.#byEnvironment.set(environmentId, own);
  }

  remove(environmentId: string, bytes: number): void {
    const own = (this.#byEnvironment.get(environmentId) ?? 0) - bytes;
    this.#total -= bytes;
    if (own > 0) this.#byEnvironment.set(environmentId, own);
    else this.#byEnvironment.delete(environmentId);
  }
}

const held = serverState(() => new HeldBodies());

/** A count of what one request holds, given back when it is disposed of. */
export function holdBodies({ state, environment }: EnvironmentContext): BodyHold {
  const bodies = held.of({ state });
  let own = 0;
  return {
    add(bytes) {
      bodies.add(environment.id, bytes);
      own += bytes;
    },
    [Symbol.dispose]: () => bodies.remove(environment.id, own),
  };
}
