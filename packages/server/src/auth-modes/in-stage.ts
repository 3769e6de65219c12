import type { ConnectStage } from "@jackfield/contract";
import type { EgressRequest, EgressResponse } from "#platform/egress";
import { AuthorizationFailure, type AuthTools, RefreshFailure } from "./auth-mode.ts";
import { excerptAnswer } from "./excerpt-answer.ts";

/** Where a connection failed, and what the provider answered last; it may be shown to the customer. */
export interface StageFacts {
  readonly stage: ConnectStage;
  /** Undefined where no answer came, or none was asked for. */
  readonly upstream?: { readonly status: number; readonly body: string } | undefined;
}

// Next to the errors, not in them: they are of several classes, and who throws them need not know the stage.
const factsOf = new WeakMap<object, StageFacts>();

/** Of the error, or of what it was caused by. */
export function stageFactsOf(thrown: unknown): StageFacts | undefined {
  if (!(thrown instanceof Error)) return undefined;
  return factsOf.get(thrown) ?? stageFactsOf(thrown.cause);
}

export function setStageFacts(error: object, facts: StageFacts): void {
  factsOf.set(error, facts);
}

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
  let wasHeldBack = false;
  const http: AuthTools["http"] = {
    ...tools.http,
    async request(request) {
      const exchange: Exchange = { request };
      last = exchange;
      try {
        exchange.response = await plainHttp.request(request);
        return exchange.response;
      } catch (error) {
        // A request that did not leave fails as a refresh; one that failed on its way does not.
        wasHeldBack = error instanceof RefreshFailure;
        throw error;
      }
    },
  };
  try {
    const result = await work({ ...tools, http, plainHttp });
    if (last !== undefined || stage === "authorization") tools.count?.(stage, "succeeded");
    return result;
  } catch (error) {
    const isRefusal = error instanceof AuthorizationFailure || error instanceof RefreshFailure;
    if (stageFactsOf(error) === undefined && (last !== undefined || isRefusal)) {
      const facts = toFacts(stageOf(error, stage), last);
      if (error instanceof Error) setStageFacts(error, facts);
      if (!wasHeldBack) tools.count?.(facts.stage, "failed");
    }
    throw error;
  }
}

function toFacts(stage: ConnectStage, last: Exchange | undefined): StageFacts {
  if (last?.response === undefined) return { stage };
  const { status } = last.response;
  return { stage, upstream: { status, body: excerptAnswer(last.request, last.response) } };
}

const ofCallback: ReadonlySet<string> = new Set([
  "authorization_cancelled",
  "invalid_callback",
  "issuer_mismatch",
]);

/** One call of a mode reads the callback and asks for the token. */
function stageOf(error: unknown, stage: ConnectStage): ConnectStage {
  const isOfCallback = error instanceof AuthorizationFailure && ofCallback.has(error.type);
  return stage === "token" && isOfCallback ? "callback" : stage;
}
