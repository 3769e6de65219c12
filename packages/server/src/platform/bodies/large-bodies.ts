import { AppError } from "../errors.ts";

/** Bodies up to this size are read without being counted, and parsed on the main thread. */
export const SMALL_BYTES = 1024 * 1024;

/** The memory that large bodies take while they come in and are parsed. */
export interface LargeBodies {
  /** Counts what a caller's body has taken; it throws `overloaded` when that is more than there is. */
  open(caller: string): HeldBody;
}

export interface HeldBody {
  grow(bytes: number): void;
  release(): void;
}

/** One caller holds as much as one body may have, so that nobody who sends slowly keeps all others out. */
export function createLargeBodies({ bodyLimitBytes }: { bodyLimitBytes: number }): LargeBodies {
  const mostInAll = 3 * bodyLimitBytes;
  const held = new Map<string, number>();
  let inAll = 0;

  function change(caller: string, by: number): void {
    const now = (held.get(caller) ?? 0) + by;
    inAll += by;
    if (now === 0) held.delete(caller);
    else held.set(caller, now);
  }

  return {
    open(caller) {
      let own = 0;
      return {
        grow(bytes) {
          const isFull =
            (held.get(caller) ?? 0) + bytes > bodyLimitBytes || inAll + bytes > mostInAll;
          if (isFull) throw tooManyBodies();
          own += bytes;
          change(caller, bytes);
        },
        release() {
          change(caller, -own);
          own = 0;
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
