import { setTimeout as sleep } from "node:timers/promises";
import { isJSONRPCResponse } from "@modelcontextprotocol/server";
import { addMs, type EnvironmentContext, HOUR, MINUTE, type SystemContext } from "#foundation";
import { type AssociatedData, open, seal } from "#vault";
import { type Answer, parseAnswer, type Question } from "./answer.ts";
import { toForm } from "./call-questions.ts";
import {
  answerQuestion,
  deleteQuestion,
  deleteQuestionsBefore,
  insertQuestion,
  takeAnswer,
} from "./store.ts";

const ANSWER_WITHIN_MS = 5 * MINUTE;
const FIRST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 1000;
const CANCELLED: Answer = { action: "cancel" };

/**
 * Asks the user of a client of revision 2025-11-25 or earlier while its call continues: the question leaves on the
 * stream of the call's answer, and the answer comes by a request of its own, to any process.
 */
export class ClientChannel {
  readonly #owner: string;
  readonly #messages: object[] = [];
  #wake: () => void = () => {};

  constructor(owner: string) {
    this.#owner = owner;
  }

  /** Nobody who answers within five minutes counts as somebody who does not want to. */
  async ask(ctx: EnvironmentContext, question: Question): Promise<Answer> {
    const id = crypto.randomUUID();
    const { db, environment } = ctx;
    await insertQuestion(db, environment.id, {
      ...{ id, owner: this.#owner, createdAt: ctx.clock.now() },
    });
    try {
      this.#send({ jsonrpc: "2.0", id, method: "elicitation/create", params: toForm(question) });
      return await this.#wait(ctx, id);
    } finally {
      await deleteQuestion(db, environment.id, id);
    }
  }

  async #wait(ctx: EnvironmentContext, id: string): Promise<Answer> {
    const endsAt = performance.now() + ANSWER_WITHIN_MS;
    for (let pause = FIRST_LOOK_MS; performance.now() < endsAt; pause *= 1.5) {
      await sleep(Math.min(pause, LONGEST_LOOK_MS), undefined, { signal: ctx.signal });
      const sealed = await takeAnswer(ctx.db, ctx.environment.id, id);
      if (sealed === undefined) continue;
      const text = Buffer.from(await open(ctx, aadOf(ctx, id), sealed)).toString();
      return parseAnswer(JSON.parse(text)) ?? CANCELLED;
    }
    return CANCELLED;
  }

  #send(message: object): void {
    this.#messages.push(message);
    this.#wake();
  }

  /** Resolves when there is a message to send. */
  async hasMessages(): Promise<void> {
    if (this.#messages.length > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
  }

  takeMessages(): object[] {
    return this.#messages.splice(0);
  }
}

/** Takes what a client answers to a question; false for any other message. */
export async function takeClientAnswer(
  ctx: EnvironmentContext,
  owner: string,
  body: unknown,
): Promise<boolean> {
  if (!isJSONRPCResponse(body)) return false;
  const { id } = body;
  if (typeof id !== "string" || !UUID.test(id)) return true;
  const answer = ("result" in body ? parseAnswer(body.result) : undefined) ?? CANCELLED;
  await answerQuestion(ctx.db, ctx.environment.id, {
    ...{ id, owner },
    answer: await seal(ctx, aadOf(ctx, id), Buffer.from(JSON.stringify(answer))),
  });
  return true;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Run every day: of processes that died while they waited. */
export async function deleteOldQuestions(ctx: SystemContext): Promise<void> {
  await deleteQuestionsBefore(ctx.db, addMs(ctx.clock.now(), -HOUR));
}

function aadOf(ctx: EnvironmentContext, row: string): AssociatedData {
  return { environmentId: ctx.environment.id, table: "tool_questions", column: "answer", row };
}
