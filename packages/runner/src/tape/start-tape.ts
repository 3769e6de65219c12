import type { TapeFacts, TapeMoment } from "@jackfield/contract/tape-moments";
import { replaceClock } from "./replace-clock.ts";
import { replaceRandom } from "./replace-random.ts";
import { replaceTimers } from "./replace-timers.ts";
import { RunTape } from "./run-tape.ts";

export type { RunTape };

export interface TapeParts {
  /** Whether the function's text has a word. */
  readonly mentions: (word: string) => boolean;
  readonly nowMs: () => number;
  /** A module of Node, which is put back when the process is cleaned. */
  readonly getModule: (name: string) => object;
  /** Sends moments to the host; `number` counts the messages. */
  readonly note: (moments: readonly TapeMoment[], number: number) => void;
}

/** From now on clock, random values and timers of the process are those of a tape. */
export function startTape(facts: TapeFacts, parts: TapeParts): RunTape {
  let count = 0;
  const note = (moments: readonly TapeMoment[]) => {
    count += 1;
    parts.note(moments, count);
  };
  const tape = new RunTape(facts, { note, nowMs: parts.nowMs });
  replaceClock(tape, parts.mentions);
  replaceRandom(facts.seed, parts);
  replaceTimers(tape, parts.getModule);
  return tape;
}
