import { addMs, SECOND } from "#foundation";
import type { EgressResponse, ServerNotes } from "#foundation/egress";

/** What a signature needs to know of the server that checks it. */
export interface SigningFacts {
  /** By the server's clock, as far as that is known. */
  readonly now: Date;
  /** Undefined as long as it has asked for none (RFC 9449 section 8). */
  readonly dpopNonce: string | undefined;
}

/** What is called: nonces of an authorization server are not those of its API. */
export type ServerRole = "token" | "resource";

/** What is known of a server before a call. */
export function findSigningFacts(
  servers: ServerNotes | undefined,
  url: string,
  { now, role }: { now: Date; role: ServerRole },
): SigningFacts {
  const note = servers?.find(url);
  return { now: addMs(now, note?.clockAheadMs ?? 0), dpopNonce: note?.dpopNonces[role] };
}

/** What an answer may tell of a signature. */
export interface SignedAnswer {
  readonly status: number;
  /** The first value of each. */
  find(name: string): string | undefined;
  /** Where the error may also stand; of a token endpoint. */
  readonly body?: Buffer | undefined;
  readonly clockAheadMs: number | undefined;
}

/** An answer that has come whole. */
export function toSignedAnswer({
  status,
  headers,
  body,
  clockAheadMs,
}: EgressResponse): SignedAnswer {
  return { status, body, clockAheadMs, find: (name) => [headers[name]].flat()[0] };
}

// A signature whose time is off by less is taken everywhere.
const TOLERANCE_MS = 5 * SECOND;
const refusals: ReadonlySet<number> = new Set([400, 401, 403]);

/**
 * Stores what the answer says, and returns the facts to sign the call with again, where it was refused for
 * want of a nonce or was signed with a time that differs from the server's. Otherwise returns undefined.
 */
export function learnFromRefusal(
  servers: ServerNotes | undefined,
  url: string,
  {
    answer,
    used,
    role,
    now,
  }: {
    answer: SignedAnswer;
    used: SigningFacts;
    role: ServerRole;
    now: Date;
  },
): SigningFacts | undefined {
  const nonce = findNonce(answer);
  if (nonce !== undefined) servers?.note(url, { dpopNonces: { [role]: nonce } });
  if (!refusals.has(answer.status)) return undefined;
  const { clockAheadMs } = answer;
  const theirs = clockAheadMs === undefined ? used.now : addMs(now, clockAheadMs);
  const wasOff = Math.abs(theirs.getTime() - used.now.getTime()) > TOLERANCE_MS;
  const wantsNonce = nonce !== undefined && nonce !== used.dpopNonce && asksForNonce(answer);
  if (!wasOff && !wantsNonce) return undefined;
  return { now: wasOff ? theirs : used.now, dpopNonce: nonce ?? used.dpopNonce };
}

// RFC 9449 section 8.1 has the characters; longer than any that servers send.
const nonceForm = /^[!#-[\]-~]{1,512}$/;

function findNonce({ find }: SignedAnswer): string | undefined {
  const nonce = find("dpop-nonce") ?? "";
  return nonceForm.test(nonce) ? nonce : undefined;
}

function asksForNonce({ find, body }: SignedAnswer): boolean {
  const challenge = `${find("www-authenticate") ?? ""} ${body?.subarray(0, 4096).toString("utf8") ?? ""}`;
  return challenge.includes("use_dpop_nonce");
}
