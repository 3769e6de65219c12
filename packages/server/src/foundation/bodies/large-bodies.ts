import { SECOND } from "../clock.ts";
import { AppError } from "../errors.ts";

/** Bodies up to this size are read without being counted, and parsed on the main thread. */
export const SMALL_BYTES = 1024 * 1024;

/** How long a body waits until others have given memory back. */
const PATIENCE_MS = 15 * SECOND;

/** The memory that large bodies take while they come in and are parsed. */
export interface LargeBodies {
  open(caller: string): HeldBody;
}

export interface HeldBody {
  /**
   * Counts what the body takes. A promise where there is no room now: nothing may be read until it resolves. It rejects
   * with `overloaded` after 15 s.
   */
  grow(bytes: number): Promise<void> | undefined;
  /** Gives back what the body holds; one that waits is forgotten. */
  release(): void;
}

export interface LargeBodiesOptions {
  readonly bodyLimitBytes: number;
  readonly patienceMs?: number;
}

interface Body {
  readonly caller: string;
  bytes: number;
  waits: { bytes: number; go(): void; giveUp: NodeJS.Timeout } | undefined;
}

/**
 * The bodies of one caller hold as much as one body may have, so that nobody who sends slowly keeps all others out, and
 * all hold three times that; further ones wait. The oldest body of a caller continues beyond the caller's share, and the
 * oldest of all beyond the sum: so one of them always ends, and all hold at most one body more.
 */
export function createLargeBodies({
  bodyLimitBytes,
  patienceMs = PATIENCE_MS,
}: LargeBodiesOptions): LargeBodies {
  const mostInAll = 3 * bodyLimitBytes;
  // In the order in which they grew large.
  const bodies = new Set<Body>();
  const held = new Map<string, number>();
  let inAll = 0;

  function change(body: Body, by: number): void {
    body.bytes += by;
    inAll += by;
    const now = (held.get(body.caller) ?? 0) + by;
    if (now === 0) held.delete(body.caller);
    else held.set(body.caller, now);
  }

  function fits(body: Body, bytes: number): boolean {
    if ((held.get(body.caller) ?? 0) + bytes > bodyLimitBytes && !isOldestOfCaller(body)) {
      return false;
    }
    return inAll + bytes <= mostInAll || isOldest(body);
  }

  function isOldest(body: Body): boolean {
    return bodies.values().next().value === body;
  }

  function isOldestOfCaller(body: Body): boolean {
    for (const other of bodies) if (other.caller === body.caller) return other === body;
    return false;
  }

  function letWaitingOnesGo(): void {
    for (const body of bodies) {
      if (body.waits !== undefined && fits(body, body.waits.bytes)) body.waits.go();
    }
  }

  async function wait(body: Body, bytes: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const giveUp = setTimeout(() => {
        body.waits = undefined;
        reject(tooManyBodies());
      }, patienceMs);
      const go = (): void => {
        clearTimeout(giveUp);
        body.waits = undefined;
        change(body, bytes);
        resolve();
      };
      body.waits = { bytes, go, giveUp };
    });
  }

  return {
    open(caller) {
      const body: Body = { caller, bytes: 0, waits: undefined };
      return {
        grow(bytes) {
          bodies.add(body);
          if (!fits(body, bytes)) return wait(body, bytes);
          change(body, bytes);
          return undefined;
        },
        release() {
          clearTimeout(body.waits?.giveUp);
          body.waits = undefined;
          if (!bodies.delete(body)) return;
          change(body, -body.bytes);
          letWaitingOnesGo();
        },
      };
    },
  };
}

function tooManyBodies(): AppError {
  return new AppError(
    "overloaded",
    "Too many large bodies are being read at the moment; try again shortly.",
    { headers: { "Retry-After": "1" } },
  );
}
