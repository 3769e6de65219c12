import { isDeepStrictEqual } from "node:util";
import type { AuthTools } from "../auth-mode.ts";
import {
  findSigningFacts,
  learnFromRefusal,
  type ServerRole,
  type SignedAnswer,
  type SigningFacts,
} from "./signing-facts.ts";

export interface SignedCall<Call, Answer> {
  /** Of the server whose clock and nonces count. */
  readonly url: string;
  readonly role: ServerRole;
  readonly write: (facts: SigningFacts) => Promise<Call>;
  /** Sends a call once. `review` sees its answer, and says whether the call will be sent again in another form. */
  readonly send: (call: Call, review: (answer: SignedAnswer) => boolean) => Promise<Answer>;
  /** Asked when the call should be sent again; yes unless this says otherwise. */
  readonly mayRepeat?: () => boolean;
}

/** Sends a call; once more, signed again, where the refusal tells what the signature lacked. */
export async function sendSigned<Call, Answer>(
  { url, role, write, send, mayRepeat = () => true }: SignedCall<Call, Answer>,
  {
    http: { servers },
    now,
  }: Pick<AuthTools, "now"> & { readonly http: Pick<AuthTools["http"], "servers"> },
): Promise<Answer> {
  const used = findSigningFacts(servers, url, { now, role });
  const learn = (answer: SignedAnswer) =>
    learnFromRefusal(servers, url, { answer, used, role, now });
  let wanted: SigningFacts | undefined;
  const call = await write(used);
  const answer = await send(call, (seen) => {
    const facts = learn(seen);
    if (facts !== undefined && mayRepeat()) wanted = facts;
    return wanted !== undefined;
  });
  if (wanted === undefined) return answer;
  const again = await write(wanted);
  // A call that nothing signs is what it was.
  if (isDeepStrictEqual(call, again)) return answer;
  return await send(again, (seen) => {
    learn(seen);
    return false;
  });
}
