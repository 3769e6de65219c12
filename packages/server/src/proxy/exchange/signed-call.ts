import { isBound, type SignedAnswer, type SignedCall } from "#auth-modes";
import type { FreshCredentials } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { egressOf } from "#integrations";
import { findHeader } from "../answer/response-headers.ts";
import { toTarget } from "../request/target.ts";
import { toProvenRequest, withBody } from "../request/to-request.ts";
import type { AnswerHead, AttemptOutcome, UpstreamRequest } from "./attempt.ts";
import { noteClock } from "./note-clock.ts";
import { type Hop, toBareRequest } from "./redirects.ts";

type Review = (answer: SignedAnswer) => boolean;

export interface Sending {
  /** One attempt; `isToSignAgain` sees each answer first, and says where it is not for the caller. */
  send(
    request: UpstreamRequest,
    isToSignAgain: (head: AnswerHead) => boolean,
  ): Promise<AttemptOutcome>;
  /** Called when the provider asks for another signature, but the body has gone. */
  skipped(): void;
}

/** A call as `sendSigned` sends it: signing it again is no retry of the caller's. */
export function toSignedCall(
  ctx: EnvironmentContext,
  hop: Hop,
  fresh: FreshCredentials | undefined,
  { send, skipped }: Sending,
): SignedCall<UpstreamRequest, AttemptOutcome> {
  const { call } = hop;
  const role = "resource";
  if (fresh === undefined) {
    const write = async () => toBareRequest(call);
    return { url: call.baseUrl, role, write, send: async (bare) => await send(bare, () => false) };
  }
  const { credentials } = fresh;
  const { servers } = egressOf(ctx, call.integration);
  const { origin: url } = toTarget(call.baseUrl, call.path);
  const isSigned = call.mode.sign !== undefined || isBound(credentials);
  const judge = (head: AnswerHead, review: Review): boolean => {
    // Credentials made of a secret and the time may be refused for the time, and are made again after a 401.
    if (!isSigned && head.status !== 401) return false;
    const clockAheadMs = noteClock(servers, url, head);
    const find = (name: string) => findHeader(head.headers, name);
    return isSigned && review({ status: head.status, find, clockAheadMs });
  };
  return {
    url,
    role,
    write: async (facts) =>
      withBody(await toProvenRequest(call, credentials, { facts, body: call.body }), call.body),
    send: async (request, review) => await send(request, (head) => judge(head, review)),
    mayRepeat: () => {
      if (call.body.kind !== "stream") return true;
      skipped();
      return false;
    },
  };
}
