import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { EnvironmentContext } from "#foundation";
import type { RunCaller } from "#slice";
import { toolFailure } from "../tool-failure.ts";
import { type Answer, digestQuestion, type GivenAnswer, parseAnswer } from "./answer.ts";
import { CallQuestions, toForm } from "./call-questions.ts";
import type { ClientChannel } from "./client-channel.ts";
import { digestCall, openStates, type RequestState, type ToolCall } from "./request-state.ts";

interface Asking {
  readonly server: ServerContext;
  readonly call: ToolCall;
  /** Who may bring an answer: a connection, or a session of an agent. */
  readonly owner: string;
  /** To a client of an earlier revision that can be asked. */
  readonly channel: ClientChannel | undefined;
  readonly onProgress: RunCaller["reportProgress"];
}

type Work = (questions: CallQuestions) => Promise<CallToolResult>;

const MOST_ROUNDS = 10;

/**
 * Runs a tool that may ask its client's user. The tool ends where it asks and runs again with the answer: no process
 * waits for a person, and the answer may come to another one.
 */
export async function askUser(
  ctx: EnvironmentContext,
  asking: Asking,
  work: Work,
): Promise<CallToolResult | InputRequiredResult> {
  return asking.server.mcpReq.envelope === undefined
    ? await askOnStream(ctx, asking, work)
    : await askByResult(ctx, asking, work);
}

/** One run of a tool that may ask, with what its client's user has answered before. */
export interface Round {
  readonly answers: ReadonlyMap<string, GivenAnswer>;
  readonly keptId: string | undefined;
  /** Whether the client can show its user a form, and open an address. */
  readonly canAsk: boolean;
  readonly canOpen: boolean;
}

export type RoundEnd =
  | { readonly kind: "done"; readonly result: CallToolResult }
  | {
      readonly kind: "asking";
      readonly requests: InputRequests;
      readonly keptId: string | undefined;
    };

/** What the request brings of earlier rounds. */
export function roundOf({ mcpReq }: Pick<ServerContext, "mcpReq">): Round {
  const { envelope, inputResponses } = mcpReq;
  const { answers: earlier = {}, keptId } = mcpReq.requestState<RequestState>() ?? {};
  const elicitation = Object(envelope)[CLIENT_CAPABILITIES_META_KEY]?.elicitation;
  return {
    ...{ canAsk: canFillForms(elicitation), canOpen: elicitation?.url !== undefined, keptId },
    answers: new Map([...Object.entries(earlier), ...readAnswers(inputResponses)]),
  };
}

/** Answers by the keys of their questions; what is none is left out. */
export function readAnswers(given: unknown): [string, GivenAnswer][] {
  return Object.entries({ ...Object(given) }).flatMap(([key, value]): [string, GivenAnswer][] => {
    const answer = parseAnswer(value);
    return answer === undefined ? [] : [[key, { answer }]];
  });
}

export async function askRound(
  round: Round,
  onProgress: RunCaller["reportProgress"],
  work: Work,
): Promise<RoundEnd> {
  const questions = new CallQuestions({ ...round, onProgress });
  const result = await work(questions);
  if (!questions.isAsking) return { kind: "done", result };
  const forms = [...questions.asked.values()].map(
    (question) => [question.key, inputRequired.elicit(toForm(question))] as const,
  );
  const addresses = [...questions.addresses.values()].map(
    ({ key, ...address }) => [key, inputRequired.elicitUrl(address)] as const,
  );
  const requests = Object.fromEntries([...forms, ...addresses]);
  return { kind: "asking", requests, keptId: questions.nextKeptId };
}

/** Revision 2026-07-28: the answer names the questions, and the client repeats the call. */
async function askByResult(
  ctx: EnvironmentContext,
  { server, call, owner, onProgress }: Asking,
  work: Work,
): Promise<CallToolResult | InputRequiredResult> {
  const round = roundOf(server);
  const end = await askRound(round, onProgress, work);
  return end.kind === "done"
    ? end.result
    : await toInputRequired(ctx, { server, call, owner, round, end });
}

/** Lets the client ask its user and repeat the call. */
export async function toInputRequired(
  ctx: EnvironmentContext,
  {
    server,
    call,
    owner,
    round,
    end,
  }: Pick<Asking, "server" | "call" | "owner"> & {
    readonly round: Round;
    readonly end: Extract<RoundEnd, { kind: "asking" }>;
  },
): Promise<InputRequiredResult> {
  const states = await openStates(ctx, owner);
  const state = {
    ...{ call: digestCall(call), answers: Object.fromEntries(round.answers) },
    keptId: end.keptId,
  };
  return inputRequired({
    inputRequests: end.requests,
    requestState: await states.mint(state, server),
  });
}

async function askOnStream(
  ctx: EnvironmentContext,
  { channel, onProgress }: Asking,
  work: Work,
): Promise<CallToolResult> {
  const answers = new Map<string, GivenAnswer>();
  let keptId: string | undefined;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const canAsk = channel !== undefined;
    const questions = new CallQuestions({ canAsk, canOpen: false, answers, onProgress, keptId });
    const result = await work(questions);
    if (channel === undefined || !questions.isAsking) return result;
    keptId = questions.nextKeptId;
    for (const question of questions.asked.values()) {
      const answer: Answer = await channel.ask(ctx, question);
      answers.set(question.key, { question: digestQuestion(question), answer });
    }
  }
  return toolFailure({
    ...{ code: "input_required", message: "The answers did not fit the questions." },
    next: "Ask the user what is meant, and call again.",
  });
}

/** For a tool that cannot do without asking; earlier revisions have no such error, and the tool says so itself. */
export function requireForms(server: ServerContext): void {
  const { envelope } = server.mcpReq;
  if (envelope === undefined) return;
  if (canFillForms(Object(envelope)[CLIENT_CAPABILITIES_META_KEY]?.elicitation)) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { elicitation: {} } });
}

/** A client that says nothing of the kinds of elicitation fills forms. */
export function canFillForms(elicitation: unknown): boolean {
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return "form" in elicitation || !("url" in elicitation);
}
