import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { EnvironmentContext } from "#platform";
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

/** Revision 2026-07-28: the answer names the questions, and the client repeats the call. */
async function askByResult(
  ctx: EnvironmentContext,
  { server, call, owner, onProgress }: Asking,
  work: Work,
): Promise<CallToolResult | InputRequiredResult> {
  const { envelope, inputResponses } = server.mcpReq;
  const { answers: earlier = {}, keptId } = server.mcpReq.requestState<RequestState>() ?? {};
  const given = Object.entries({ ...Object(inputResponses) }).flatMap(
    ([key, value]): [string, GivenAnswer][] => {
      const answer = parseAnswer(value);
      return answer === undefined ? [] : [[key, { answer }]];
    },
  );
  const answers = new Map([...Object.entries(earlier), ...given]);
  const elicitation = Object(envelope)[CLIENT_CAPABILITIES_META_KEY]?.elicitation;
  const [canAsk, canOpen] = [canFillForms(elicitation), elicitation?.url !== undefined];
  const questions = new CallQuestions({ canAsk, canOpen, answers, onProgress, keptId });
  const result = await work(questions);
  if (!questions.isAsking) return result;
  const states = await openStates(ctx, owner);
  const forms = [...questions.asked.values()].map(
    (question) => [question.key, inputRequired.elicit(toForm(question))] as const,
  );
  const addresses = [...questions.addresses.values()].map(
    ({ key, ...address }) => [key, inputRequired.elicitUrl(address)] as const,
  );
  const state = {
    ...{ call: digestCall(call), answers: Object.fromEntries(answers) },
    keptId: questions.nextKeptId,
  };
  return inputRequired({
    inputRequests: Object.fromEntries([...forms, ...addresses]),
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
