import type { ConnectStage } from "@jackfield/contract";
import { AppError } from "#foundation";
import type { EgressRequest, EgressResponse } from "#foundation/egress";
import type { AuthTools } from "../auth-mode.ts";
import { excerptAnswer } from "./excerpt-answer.ts";
import { ProviderFailure, type StageFacts, stageFactsOf } from "./provider-failure.ts";

interface Exchange {
  readonly request: EgressRequest;
  response?: EgressResponse;
}

/**
 * Runs the work of a stage. Its failure is given the stage and the provider's last answer, and how it ended
 * is counted; work that asks nobody is not, nor are faults of what the caller gave.
 */
export async function inStage<Result>(
  stage: ConnectStage,
  tools: AuthTools,
  work: (tools: AuthTools) => Promise<Result>,
): Promise<Result> {
  let last: Exchange | undefined;
  // A stage within this one keeps its own notes.
  const plainHttp = tools.plainHttp ?? tools.http;
  const http: AuthTools["http"] = {
    ...tools.http,
    async request(request) {
      const exchange: Exchange = { request };
      last = exchange;
      exchange.response = await plainHttp.request(request);
      return exchange.response;
    },
  };
  try {
    const result = await work({ ...tools, http, plainHttp });
    if (last !== undefined || stage === "authorization") tools.count?.(stage, "succeeded");
    return result;
  } catch (error) {
    const isOfProvider = error instanceof ProviderFailure || last !== undefined;
    if (!(error instanceof AppError) || !isOfProvider || stageFactsOf(error) !== undefined) {
      throw error;
    }
    const facts = toFacts(stageOf(error, stage), last);
    const failure = toFailure(error).with(facts);
    if (!failure.wasHeldBack) tools.count?.(facts.stage, "failed");
    throw failure;
  }
}

/** An error keeps its code; what it means for the connection only that code says. */
function toFailure(error: AppError): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const { code, message, details, cause } = error;
  return new ProviderFailure("refused", message, { code, details, cause });
}

function toFacts(stage: ConnectStage, last: Exchange | undefined): StageFacts {
  if (last?.response === undefined) return { stage };
  const { status } = last.response;
  return { stage, upstream: { status, body: excerptAnswer(last.request, last.response) } };
}

const ofCallback: ReadonlySet<unknown> = new Set<ProviderFailure["ending"]>([
  "authorization_cancelled",
  "invalid_callback",
  "issuer_mismatch",
]);

/** One call of a mode reads the callback and asks for the token. */
function stageOf(error: AppError, stage: ConnectStage): ConnectStage {
  const isOfCallback = error instanceof ProviderFailure && ofCallback.has(error.ending);
  return stage === "token" && isOfCallback ? "callback" : stage;
}
