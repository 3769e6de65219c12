import { setTimeout as sleep } from "node:timers/promises";

interface Shared {
  /** When the latest read began, by the process' clock. */
  beganAt: number;
  running: Promise<unknown>;
  /** Has not begun: who asks now may have its answer. */
  next: Promise<object> | undefined;
}

/**
 * Answers that equal questions share, such as those of all browsers that show one list and learn at the same moment that
 * it has changed. A question is only given what was read after it was asked, so that nobody sees less than by itself.
 */
export class SharedAnswers {
  readonly #everyMs: number;
  readonly #byQuestion = new Map<string, Shared>();

  /** `everyMs`: equal questions are read this often at most; those between wait for the next time. */
  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** `read` outlives the call that began it: it uses nothing that ends with that call. */
  async get<Answer extends object>(question: string, read: () => Promise<Answer>): Promise<Answer> {
    const known = this.#byQuestion.get(question);
    if (known === undefined) return asAnswer(await this.#begin(question, read));
    known.next ??= this.#wait(known).then(async () => await this.#begin(question, read));
    return asAnswer(await known.next);

    // Equal questions have equal answers.
    function asAnswer(answer: object): Answer {
      return answer as Answer;
    }
  }

  /** Questions whose answers are remembered. */
  get size(): number {
    return this.#byQuestion.size;
  }

  async #wait({ beganAt, running }: Shared): Promise<void> {
    const waitMs = beganAt + this.#everyMs - performance.now();
    await Promise.all([running.catch(() => undefined), sleep(Math.max(0, waitMs))]);
  }

  async #begin(question: string, read: () => Promise<object>): Promise<object> {
    const running = read().then(markShared);
    const own: Shared = { beganAt: performance.now(), running, next: undefined };
    this.#byQuestion.set(question, own);
    void this.#wait(own).then(() => {
      const isLatest = this.#byQuestion.get(question) === own;
      if (isLatest && own.next === undefined) this.#byQuestion.delete(question);
    });
    return await running;
  }
}

/** Process-wide: an answer that nobody holds any more leaves by itself. */
const texts = new WeakMap<object, string | undefined>();

function markShared<Answer extends object>(answer: Answer): Answer {
  texts.set(answer, undefined);
  return answer;
}

/** An answer that several callers get, as JSON that is made once; undefined for any other. */
export function textOfShared(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !texts.has(answer)) return undefined;
  const text = texts.get(answer) ?? JSON.stringify(answer);
  texts.set(answer, text);
  return text;
}
