import { functionLimits } from "@jackfield/contract/function-limits";
import { type ElicitRequestFormParams, isSpecType } from "@modelcontextprotocol/server";
import { CallError } from "#foundation/sandbox";
import type { AskedAddress, RunCaller } from "#slice";
import {
  type Answer,
  digestQuestion,
  fitsQuestion,
  type GivenAnswer,
  type Question,
} from "./answer.ts";

interface Options {
  /** Whether the client can show its user a form. */
  readonly canAsk: boolean;
  readonly answers: ReadonlyMap<string, GivenAnswer>;
  readonly onProgress: RunCaller["reportProgress"];
  /** Whether the client can open an address for its user. */
  readonly canOpen: boolean;
  readonly keptId: string | undefined;
}

const MOST_QUESTIONS = functionLimits.questionsPerRun.value;

/** What one run of an action asks the client's user, with the answers that are there already. */
export class CallQuestions implements RunCaller {
  readonly #options: Options;
  /** Those without an answer, by their keys. */
  readonly asked = new Map<string, Question>();
  /** Addresses that the user has not come back from, by their keys. */
  readonly addresses = new Map<string, AskedAddress>();
  /** For the next round. */
  nextKeptId: string | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  get isAsking(): boolean {
    return this.asked.size > 0 || this.addresses.size > 0;
  }

  get keptId(): string | undefined {
    return this.#options.keptId;
  }

  keep(id: string): void {
    this.nextKeptId = id;
  }

  openAddress(asked: AskedAddress): Answer | undefined {
    const { canOpen, answers } = this.#options;
    if (!canOpen) {
      throw new CallError({
        type: "elicitation_unavailable",
        message: "The agent's client cannot open an address for its user.",
      });
    }
    const given = answers.get(asked.key);
    if (given !== undefined) return given.answer;
    this.addresses.set(asked.key, asked);
    return undefined;
  }

  reportProgress(progress: Parameters<RunCaller["reportProgress"]>[0]): void {
    this.#options.onProgress(progress);
  }

  elicit(question: Question): Answer | undefined {
    const { canAsk, answers } = this.#options;
    if (!canAsk) {
      throw new CallError({
        type: "elicitation_unavailable",
        message: "The agent's client cannot ask its user.",
      });
    }
    toForm(question);
    const given = answers.get(question.key);
    const isForThis = given?.question === undefined || given.question === digestQuestion(question);
    if (given !== undefined && isForThis && fitsQuestion(given.answer, question)) {
      return given.answer;
    }
    if (this.asked.size + answers.size >= MOST_QUESTIONS) {
      throw new CallError({
        type: "elicitation_unavailable",
        message: `A call asks at most ${MOST_QUESTIONS} questions.`,
      });
    }
    this.asked.set(question.key, question);
    return undefined;
  }
}

/** As the client is asked; forms of the protocol are flat: texts, numbers, booleans and choices. */
export function toForm({ key, message, schema }: Question): ElicitRequestFormParams {
  const form = { message, requestedSchema: schema };
  if (isSpecType.ElicitRequestFormParams(form)) return form;
  throw new CallError({
    type: "script_internal_error",
    message: `The question "${key}" is no form: its fields are texts, numbers, booleans and choices.`,
  });
}
