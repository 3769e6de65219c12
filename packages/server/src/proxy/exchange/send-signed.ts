import {
  type Credentials,
  findSigningFacts,
  isBound,
  learnFromRefusal,
  type SigningFacts,
} from "#auth-modes";
import { egressOf } from "#integrations";
import type { EnvironmentContext } from "#platform";
import { findHeader } from "../answer/response-headers.ts";
import type { ProviderCall } from "../call.ts";
import { toTarget } from "../request/target.ts";
import { toProvenRequest, withBody } from "../request/to-request.ts";
import { noteClock } from "./note-clock.ts";
import type { AnswerHead, AttemptOutcome, UpstreamRequest } from "./send-attempt.ts";

export interface SignedSending {
  /** Whether the body can be sent once more. */
  readonly isReplayable: boolean;
  /** Called when the provider asks for another signature, but the body has gone. */
  skipped(): void;
  /** One attempt; `review` sees each answer first, and says where it is not for the caller. */
  send(
    request: UpstreamRequest,
    review: (head: AnswerHead) => "discard" | undefined,
  ): Promise<AttemptOutcome>;
}

/**
 * Makes the call with its signature or proof; where the provider refuses that and tells what it lacked (a nonce,
 * the provider's time), once more with another. This is no retry of the caller's.
 */
export async function sendSigned(
  ctx: EnvironmentContext,
  call: ProviderCall,
  credentials: Credentials,
  { isReplayable, skipped, send }: SignedSending,
): Promise<AttemptOutcome> {
  const { servers } = egressOf(ctx, call.integration);
  const { origin: url } = toTarget(call.baseUrl, call.path);
  const at = { now: ctx.clock.now(), role: "resource" } as const;
  const used = findSigningFacts(servers, url, at);
  const isSigned = call.mode.sign !== undefined || isBound(credentials);
  const write = async (facts: SigningFacts) =>
    withBody(await toProvenRequest(call, credentials, { facts, body: call.body }), call.body);
  const learn = (head: AnswerHead) => {
    const find = (name: string) => findHeader(head.headers, name);
    const answer = { status: head.status, find, clockAheadMs: noteClock(servers, url, head) };
    return learnFromRefusal(servers, url, { ...at, answer, used });
  };
  let wanted: SigningFacts | undefined;
  const outcome = await send(await write(used), (head) => {
    // Credentials made of a secret and the time may be refused for the time, and are made again after a 401.
    if (!isSigned && head.status === 401) noteClock(servers, url, head);
    wanted = isSigned ? learn(head) : undefined;
    if (wanted === undefined) return undefined;
    if (isReplayable) return "discard";
    skipped();
    return undefined;
  });
  if (wanted === undefined || outcome.passed) return outcome;
  return await send(await write(wanted), (head) => {
    learn(head);
    return undefined;
  });
}
