import { createHash, randomBytes } from "node:crypto";
import { tapeLimits } from "@jackfield/contract";
import type { RunError } from "@jackfield/contract/runtime";
import { type TapeMoment, tapeMomentLimits } from "@jackfield/contract/tape-moments";
import { type Call, type CallAnswer, CallError, type SandboxOutcome } from "#foundation/sandbox";
import type { TapeReason } from "./tape-rule.ts";
import type { TapeSecrets } from "./tape-secrets.ts";

/** Bytes of one call besides what it holds. */
const CALL_BYTES = 200;

/** What a run reads of itself. */
const atBeginning: ReadonlySet<string> = new Set([
  ...["getConnection", "getIntegration", "getEnvironmentVariables", "getPagination"],
]);
const MOST_KEPT = 20;

/** Bytes that all tapes of a process hold at the moment. */
export interface RecordingRoom {
  bytes: number;
}

export type RawBody =
  | { readonly bytes: Uint8Array }
  | { readonly cut: { readonly bytes: number; readonly sha256: string } };

/** A call as it was made and answered, with all its secrets. */
export interface RawCall {
  readonly id: string;
  readonly method: string;
  readonly params: unknown;
  readonly body: RawBody | undefined;
  answer?: { readonly value: unknown; readonly body: RawBody | undefined };
  failure?: RunError;
  readonly askedMs: number;
  tookMs: number | null;
  bytes: number;
}

export type Cut = {
  readonly at_call: string;
  readonly reason: "calls" | "bytes" | "body" | "process";
};

export interface RecorderOptions {
  readonly reason: TapeReason;
  readonly startedAt: Date;
  readonly room: RecordingRoom;
  readonly secrets: TapeSecrets;
  /** Credentials with which a call was made, in memory. */
  readonly credentialsOf: (call: Call) => unknown;
}

/** What a run does and is answered, in memory until it has ended; hidden of secrets only if the tape is kept. */
export class RunRecorder {
  readonly reason: TapeReason;
  readonly startedAt: Date;
  readonly seed: string = randomBytes(32).toString("hex");
  readonly startedAtMs: number = Date.now();
  readonly secrets: TapeSecrets;
  readonly #options: RecorderOptions;
  readonly #beganMs = performance.now();
  #calls: RawCall[] = [];
  #moments: TapeMoment[] = [];
  #bytes = 0;
  #cut: Cut | undefined;
  #beginsAt: { call: string; dropped: number } | undefined;
  #seen: unknown;
  #isEnded = false;

  constructor(options: RecorderOptions) {
    this.reason = options.reason;
    this.startedAt = options.startedAt;
    this.secrets = options.secrets;
    this.#options = options;
  }

  get calls(): readonly RawCall[] {
    return this.#calls;
  }

  get moments(): readonly TapeMoment[] {
    return this.#moments;
  }

  get cut(): Cut | undefined {
    return this.#cut;
  }

  get beginsAt(): { readonly call: string; readonly dropped: number } | undefined {
    return this.#beginsAt;
  }

  /** Has a call done and notes it; what the recorder itself cannot do is never the run's concern. */
  async pass(call: Call, ask: (call: Call) => Promise<CallAnswer>): Promise<CallAnswer> {
    if (call.method === "noteMoments") {
      this.#note(call.params);
      return { value: null };
    }
    const noted = this.#begin(call);
    try {
      const answer = await ask(call);
      if (noted !== undefined) this.#end(noted, call, answer);
      return answer;
    } catch (error) {
      const failure = error instanceof CallError ? error.error : hiddenFailure(call);
      if (noted !== undefined) {
        noted.failure = failure;
        noted.tookMs = this.#elapsedMs() - noted.askedMs;
        this.#grow(noted, JSON.stringify(failure).length);
      }
      throw error;
    }
  }

  /** Gives back the room; nothing is noted any more. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#options.room.bytes -= this.#bytes;
  }

  /** Whether a run that ended so is one that its rule waits for. */
  isWanted(outcome: SandboxOutcome): boolean {
    if (this.reason === "sample") return true;
    return outcome.kind === "failed" && outcome.error.type !== "script_aborted";
  }

  #begin({ id = "", method, params, body }: Call): RawCall | undefined {
    if (this.#cut !== undefined && this.#cut.reason !== "body") return undefined;
    const noted: RawCall = {
      ...{ id, method, params, body: toRawBody(body), askedMs: this.#elapsedMs() },
      ...{ tookMs: null, bytes: 0 },
    };
    this.#calls.push(noted);
    if (this.#calls.length > tapeLimits.calls && !this.#dropHead()) {
      this.#calls.pop();
      this.#cutAt(id, "calls");
      return undefined;
    }
    this.#grow(noted, CALL_BYTES + sizeOf(params) + sizeOfBody(noted.body));
    return this.#calls.at(-1) === noted ? noted : undefined;
  }

  #end(noted: RawCall, call: Call, { value, body }: CallAnswer): void {
    this.#keepCredentials(call);
    noted.tookMs = this.#elapsedMs() - noted.askedMs;
    const raw = toRawBody(body);
    noted.answer = { value, body: raw };
    if (raw !== undefined && "cut" in raw) this.#cutAt(noted.id, "body");
    this.#grow(noted, sizeOf(value) + sizeOfBody(raw));
  }

  /** Tokens change while a run lasts: each that a call was made with is a secret of it. */
  #keepCredentials(call: Call): void {
    const credentials = this.#options.credentialsOf(call);
    if (credentials === undefined || credentials === this.#seen) return;
    this.#seen = credentials;
    this.secrets.addAll(credentials);
  }

  #grow(noted: RawCall, bytes: number): void {
    const { room } = this.#options;
    noted.bytes += bytes;
    if (this.#isEnded) return;
    this.#bytes += bytes;
    room.bytes += bytes;
    const isOver = this.#bytes > tapeLimits.runBytes;
    const isCrowded = room.bytes > tapeLimits.processBytes;
    if (!isOver && !isCrowded) return;
    if (isOver && this.#dropHead()) return;
    const place = this.#calls.indexOf(noted);
    if (place === -1) return;
    // It and what was asked meanwhile: what follows has no place without it.
    for (const each of this.#calls.splice(place)) this.#shrink(each.bytes);
    this.#cutAt(noted.id, isOver ? "bytes" : "process");
  }

  #shrink(bytes: number): void {
    this.#bytes -= bytes;
    this.#options.room.bytes -= bytes;
  }

  /** Where a failure is waited for, what counts is the end: the tape begins at the last checkpoint. */
  #dropHead(): boolean {
    if (this.reason !== "next_failure") return false;
    const place = this.#calls.findLastIndex(
      ({ method, answer }) => method === "saveCheckpoint" && answer !== undefined,
    );
    // The checkpoint itself stays, as what the rest begins from.
    if (place < 1) return false;
    const call = this.#calls[place]?.id ?? "";
    const head = this.#calls.splice(0, place);
    // What a run asks at its beginning, it asks again when it resumes.
    const kept = head.filter(({ method }) => atBeginning.has(method)).slice(-MOST_KEPT);
    this.#calls.unshift(...kept);
    const dropped = head.filter((each) => !kept.includes(each));
    if (dropped.length === 0) return false;
    for (const { bytes } of dropped) this.#shrink(bytes);
    this.#beginsAt = { call, dropped: (this.#beginsAt?.dropped ?? 0) + dropped.length };
    const at = this.#moments.findIndex(([on]) => on === `a${call}`);
    if (at > 0) this.#moments.splice(1, at - 1);
    if (this.#cut?.reason === "body" && dropped.some(({ id }) => id === this.#cut?.at_call)) {
      this.#cut = undefined;
    }
    return true;
  }

  #cutAt(id: string, reason: Cut["reason"]): void {
    if (this.#cut === undefined || this.#cut.reason === "body")
      this.#cut ??= { at_call: id, reason };
  }

  #note(params: unknown): void {
    if (this.#moments.length >= tapeMomentLimits.moments) return;
    const { moments }: { moments?: readonly TapeMoment[] } = Object(params);
    this.#moments.push(...(moments ?? []));
  }

  #elapsedMs(): number {
    return Math.round((performance.now() - this.#beganMs) * 1000) / 1000;
  }
}

/** As the sandbox words it for the function. */
function hiddenFailure({ method }: Call): RunError {
  return {
    type: "server_error",
    message: `The platform could not do ${method}; its log has the cause.`,
  };
}

function toRawBody(body: Uint8Array | undefined): RawBody | undefined {
  if (body === undefined || body.byteLength === 0) return undefined;
  if (body.byteLength <= tapeLimits.bodyBytes) return { bytes: body };
  const sha256 = createHash("sha256").update(body).digest("hex");
  return { cut: { bytes: body.byteLength, sha256 } };
}

function sizeOfBody(body: RawBody | undefined): number {
  return body !== undefined && "bytes" in body ? body.bytes.byteLength : 0;
}

function sizeOf(value: unknown): number {
  return (JSON.stringify(value) ?? "").length;
}
