import { isDeepStrictEqual } from "node:util";
import type { EgressResponse } from "#platform/egress";
import type { AuthTools } from "../auth-mode.ts";
import {
  findSigningFacts,
  learnFromRefusal,
  type ServerRole,
  type SigningFacts,
} from "./signing-facts.ts";

export interface SignedCall<Call> {
  readonly url: string;
  readonly role: ServerRole;
  readonly write: (facts: SigningFacts) => Promise<Call>;
  readonly send: (call: Call) => Promise<EgressResponse>;
}

/** Sends a call; once more, signed again, where the refusal tells what the signature lacked. */
export async function sendSigned<Call>(
  { url, role, write, send }: SignedCall<Call>,
  { http: { servers }, now }: Pick<AuthTools, "http" | "now">,
): Promise<EgressResponse> {
  const used = findSigningFacts(servers, url, { now, role });
  const call = await write(used);
  const response = await send(call);
  const { status, headers, body, clockAheadMs } = response;
  const find = (name: string) => [headers[name]].flat()[0];
  const answer = { status, body, clockAheadMs, find };
  const facts = learnFromRefusal(servers, url, { answer, used, role, now });
  if (facts === undefined) return response;
  const again = await write(facts);
  // A call that nothing signs is what it was.
  return isDeepStrictEqual(call, again) ? response : await send(again);
}
