const MIB = 1024 * 1024;

interface FrameBudgetOptions {
  /** Of all processes together. */
  readonly totalBytes: number;
  /** Of the processes of one environment; the largest frame must fit. */
  readonly environmentBytes: number;
}

interface Waiting {
  readonly environmentId: string;
  readonly bytes: number;
  readonly grant: (share: FrameShare) => void;
}

/** Room for one large frame; it is given back once. */
export interface FrameShare {
  release(): void;
}

/**
 * Memory for the large frames of all function processes: from when one is announced until its call is answered. A
 * process whose frame finds no room waits, unread; each environment has a part, so that none waits for another's
 * frames only.
 */
export class FrameBudget {
  readonly #options: FrameBudgetOptions;
  readonly #byEnvironment = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #usedBytes = 0;

  constructor(options: FrameBudgetOptions) {
    this.#options = options;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Calls `grant` at once, or when there is room; answers how to stop waiting. */
  take(environmentId: string, bytes: number, grant: (share: FrameShare) => void): () => void {
    const waiting = { environmentId, bytes, grant };
    if (this.#fits(waiting)) grant(this.#reserve(waiting));
    else this.#waiting.add(waiting);
    return () => void this.#waiting.delete(waiting);
  }

  #fits({ environmentId, bytes }: Waiting): boolean {
    const { totalBytes, environmentBytes } = this.#options;
    const used = this.#byEnvironment.get(environmentId) ?? 0;
    return used + bytes <= environmentBytes && this.#usedBytes + bytes <= totalBytes;
  }

  #reserve({ environmentId, bytes }: Waiting): FrameShare {
    this.#count(environmentId, bytes);
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#count(environmentId, -bytes);
        this.#admitNext();
      },
    };
  }

  #count(environmentId: string, bytes: number): void {
    this.#usedBytes += bytes;
    const used = (this.#byEnvironment.get(environmentId) ?? 0) + bytes;
    if (used === 0) this.#byEnvironment.delete(environmentId);
    else this.#byEnvironment.set(environmentId, used);
  }

  /** In the order of arrival; a frame that does not fit lets others pass, but not those of its own environment. */
  #admitNext(): void {
    const held = new Set<string>();
    for (const waiting of [...this.#waiting]) {
      if (held.has(waiting.environmentId)) continue;
      if (!this.#fits(waiting)) {
        held.add(waiting.environmentId);
        continue;
      }
      this.#waiting.delete(waiting);
      waiting.grant(this.#reserve(waiting));
    }
  }
}

/** Process-wide: what counts is the memory of the process. */
export const frameBudget: FrameBudget = new FrameBudget({
  totalBytes: 384 * MIB,
  environmentBytes: 128 * MIB,
});
