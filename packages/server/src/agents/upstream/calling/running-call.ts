import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { whileWanted } from "#foundation";

export type Step =
  | { readonly kind: "result"; readonly result: unknown }
  /** A server of an earlier revision asks in the middle of the call. */
  | {
      readonly kind: "asked";
      readonly asked: ElicitRequestParams;
      answer(result: ElicitResult): void;
    };

type Start = (running: {
  readonly signal: AbortSignal;
  readonly onAsked: (asked: ElicitRequestParams) => Promise<ElicitResult>;
}) => Promise<unknown>;

/** A call at its server, which may stop to ask and continue with the answer. */
export class RunningCall {
  readonly #ending = new AbortController();
  readonly #steps: Step[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake = Promise.withResolvers<void>();

  constructor(start: Start) {
    const onAsked = async (asked: ElicitRequestParams): Promise<ElicitResult> => {
      const { promise, resolve } = Promise.withResolvers<ElicitResult>();
      this.#push({ kind: "asked", asked, answer: resolve });
      return await promise;
    };
    start({ signal: this.#ending.signal, onAsked }).then(
      (result) => this.#push({ kind: "result", result }),
      (error: unknown) => {
        this.#failure = { error };
        this.#wake.resolve();
      },
    );
  }

  #push(step: Step): void {
    this.#steps.push(step);
    this.#wake.resolve();
  }

  /** What comes next; ends the call when `signal` is aborted before. */
  async next(signal: AbortSignal): Promise<Step> {
    try {
      return await whileWanted(signal, this.#take());
    } catch (error) {
      if (signal.aborted) this.end();
      throw error;
    }
  }

  async #take(): Promise<Step> {
    for (;;) {
      const step = this.#steps.shift();
      if (step !== undefined) return step;
      if (this.#failure !== undefined) throw this.#failure.error;
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }

  end(): void {
    this.#ending.abort(new Error("the call is not wanted any more"));
  }
}
