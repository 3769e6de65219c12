import { runError } from "@jackfield/contract/runtime";
import type { TapeCall, TapeFile } from "@jackfield/contract/tape-file";
import type { TapeMoment } from "@jackfield/contract/tape-moments";
import { HostFailure } from "../host-failure.ts";
import type { HostAnswer } from "../local-host.ts";
import type { HostCall } from "../local-methods.ts";
import {
  cutOf,
  type DescribedCall,
  describeMade,
  describeTaped,
  fromBody,
  toBody,
} from "./described-call.ts";
import { textsMatch, valuesMatch } from "./match-values.ts";

/** What a call gets that the tape does not have: the run stops, the call fails, or it is answered with nothing. */
export type OnUnknown = "stop" | "fail" | "skip";

export interface TapedEntry {
  readonly call: TapeCall;
  readonly described: DescribedCall;
  /** Made before the checkpoint from which the run resumes: answered, and not expected. */
  readonly isBefore: boolean;
  isUsed: boolean;
  isLent: boolean;
}

export interface MadeCall {
  readonly call: TapeCall;
  readonly described: DescribedCall;
  /** The same call on the tape; undefined where there is none. */
  readonly same: TapedEntry | undefined;
  readonly isUnknown: boolean;
}

/** Answers that a run gets although the tape does not have the call: they are about the run's own state. */
const own: Readonly<Record<string, unknown>> = {
  log: null,
  reportProgress: null,
  setMetadata: null,
  saveCheckpoint: null,
  clearCheckpoint: null,
  triggerSync: null,
  startSync: null,
  releaseAllLocks: null,
  tryAcquireLock: true,
  releaseLock: true,
  trackDeletesStart: null,
  trackDeletesEnd: { deleted: 0, range: [0, 0] },
  listDeletedKeys: { ids: [] },
  getRecordSequence: 0,
  batchSave: { added: 0, updated: 0, unchanged: 0, range: [0, 0] },
  batchUpdate: { updated: 0, unchanged: 0, range: [0, 0], conflicts: [] },
  batchDelete: { deleted: 0, range: [0, 0] },
  quarantineRecords: { quarantined: 0 },
  noteMoments: null,
};

/** Asked twice, they have one answer. */
const reads: ReadonlySet<string> = new Set([
  ...["getConnection", "getIntegration", "getPagination", "getEnvironmentVariables"],
  ...["getRecords", "listRecords"],
]);

interface TapeHostOptions {
  readonly onUnknown: OnUnknown;
  /** Called once; no call is answered any more. */
  readonly onStop: (reason: string) => void;
  /** Id of the call that saved the checkpoint from which the run resumes. */
  readonly fromCheckpoint?: string | undefined;
}

/** Answers the calls of a run from a tape, and notes how they differ from those that it has. */
export class TapeHost {
  readonly entries: readonly TapedEntry[];
  readonly made: MadeCall[] = [];
  readonly #options: TapeHostOptions;
  readonly #byName = new Map<string, TapedEntry[]>();
  /** Entries in whose names something is hidden. */
  readonly #hidden: TapedEntry[];
  readonly #firstOpen = new Map<string, number>();
  readonly #isCut: boolean;
  /** Whether the server ended the run, and with it what it waited for. */
  readonly #wasEnded: boolean;
  #waiting: NodeJS.Timeout | undefined;
  #checkpoint: unknown;
  #hasCheckpoint = false;
  #stopped: string | undefined;

  constructor(tape: TapeFile, options: TapeHostOptions) {
    this.#options = options;
    this.#wasEnded =
      tape.outcome.kind === "failed" && ended.has(String(tape.outcome.error["type"]));
    this.#isCut = tape.cut !== null && tape.cut.reason !== "body";
    const start = tape.calls.findIndex(({ id }) => id === options.fromCheckpoint);
    this.entries = tape.calls.map((call, at) => ({
      ...{ call, described: describeTaped(call), isBefore: at <= start },
      ...{ isUsed: false, isLent: false },
    }));
    if (start !== -1) {
      this.#hasCheckpoint = true;
      this.#checkpoint = Object(tape.calls[start]?.params).checkpoint;
    }
    for (const entry of this.entries) {
      const { name } = entry.described;
      const list = this.#byName.get(name);
      if (list === undefined) this.#byName.set(name, [entry]);
      else list.push(entry);
    }
    this.#hidden = this.entries.filter(({ described }) => described.name.includes("[redacted]"));
  }

  /** Why the run was stopped; undefined where it was not. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  async call(asked: HostCall & { readonly id?: string | undefined }): Promise<HostAnswer> {
    if (this.#stopped !== undefined) throw new HostFailure(aborted);
    this.#waiting?.refresh();
    const described = describeMade(asked);
    if (asked.method === "getCheckpoint" && this.#hasCheckpoint) {
      const same = this.#findSame(described, asked.body);
      if (same !== undefined) same.isUsed = true;
      const answer = { value: this.#checkpoint ?? null };
      this.#note(asked, described, { same, answer });
      return { ...answer, ...momentOf(same) };
    }
    const same = this.#findSame(described, asked.body);
    if (same !== undefined) {
      same.isUsed = true;
      return this.#answerWith(same, asked, described, same);
    }
    const like = this.#findLike(described);
    if (like !== undefined) {
      like.isLent = true;
      return this.#answerWith(like, asked, described, undefined);
    }
    return this.#answerUnknown(asked, described);
  }

  #answerWith(
    entry: TapedEntry,
    asked: HostCall & { readonly id?: string | undefined },
    described: DescribedCall,
    same: TapedEntry | undefined,
  ): HostAnswer {
    const { call } = entry;
    this.#follow(asked);
    if (call.failure !== undefined) {
      const error = runError.parse(call.failure);
      this.#note(asked, described, { same, failure: error });
      throw new HostFailure(error, momentOf(entry));
    }
    if (call.answer === undefined) {
      const reason = `the run had ended before ${described.name} was answered`;
      if (this.#wasEnded) return this.#refuse(asked, described, { same, reason, isPastCut: true });
      this.#note(asked, described, { same });
      this.#waitInVain(reason);
      return { value: null, moment: NEVER };
    }
    const body = fromBody(call.answer.body);
    if (body === undefined) {
      const reason = `the tape is cut: it has not the answer of ${described.name}, which was too long`;
      return this.#refuse(asked, described, { same, reason });
    }
    const answer = { value: call.answer.value, ...(body.byteLength > 0 && { body }) };
    this.#note(asked, described, { same, answer });
    return { ...answer, ...momentOf(entry) };
  }

  #answerUnknown(
    asked: HostCall & { readonly id?: string | undefined },
    described: DescribedCall,
  ): HostAnswer {
    this.#follow(asked);
    if (asked.method === "getCheckpoint") {
      const answer = { value: this.#checkpoint ?? null };
      this.#note(asked, described, { answer });
      return answer;
    }
    const isPastCut =
      this.#isCut && this.entries.every(({ isUsed, isBefore }) => isUsed || isBefore);
    if (isPastCut) {
      return this.#refuse(asked, described, { reason: "the tape is cut here", isPastCut });
    }
    if (Object.hasOwn(own, asked.method)) {
      const answer = { value: own[asked.method] };
      this.#note(asked, described, { answer });
      return answer;
    }
    if (reads.has(asked.method)) {
      const used = (this.#byName.get(described.name) ?? []).find((entry) =>
        valuesMatch(entry.described.parts, described.parts),
      );
      if (used !== undefined) return this.#answerWith(used, asked, described, undefined);
    }
    return this.#refuse(asked, described, { reason: `${described.name} is not on the tape` });
  }

  #refuse(
    asked: HostCall & { readonly id?: string | undefined },
    described: DescribedCall,
    {
      same,
      reason,
      isPastCut = false,
    }: { same?: TapedEntry | undefined; reason: string; isPastCut?: boolean },
  ): HostAnswer {
    const { onUnknown } = this.#options;
    const isUnknown = !isPastCut && same === undefined;
    if (isPastCut || onUnknown === "stop") {
      if (!isPastCut) this.#note(asked, described, { same, isUnknown });
      this.#stop(reason);
      throw new HostFailure(aborted);
    }
    if (onUnknown === "fail") {
      const error = {
        type: "not_on_tape",
        message: `${reason[0]?.toUpperCase()}${reason.slice(1)}.`,
      };
      this.#note(asked, described, { same, isUnknown, failure: error });
      throw new HostFailure(error, momentOf(same));
    }
    const answer = { value: nothing(asked) };
    this.#note(asked, described, { same, isUnknown, answer });
    return { ...answer, ...momentOf(same) };
  }

  /** After the run: it waits for nothing any more. */
  end(): void {
    clearTimeout(this.#waiting);
  }

  #stop(reason: string): void {
    this.#stopped ??= reason;
    this.#options.onStop(reason);
  }

  /** The recorded run did not wait for the answer; one that does now would wait for ever. */
  #waitInVain(reason: string): void {
    this.#waiting ??= setTimeout(() => this.#stop(reason), IN_VAIN_MS);
  }

  /** The first unused call that asks for the same. */
  #findSame({ name, parts }: DescribedCall, body: Uint8Array): TapedEntry | undefined {
    const list = this.#byName.get(name) ?? [];
    const from = this.#skipUsed(name, list);
    for (let at = from; at < list.length; at += 1) {
      const entry = list[at];
      if (entry !== undefined && !entry.isUsed && isSame(entry, parts, body)) return entry;
    }
    return this.#hidden.find(
      (entry) =>
        !entry.isUsed && textsMatch(entry.described.name, name) && isSame(entry, parts, body),
    );
  }

  /** The first unused call of that name; each is lent once. */
  #findLike({ name }: DescribedCall): TapedEntry | undefined {
    const list = this.#byName.get(name) ?? [];
    const from = this.#skipUsed(name, list);
    for (let at = from; at < list.length; at += 1) {
      const entry = list[at];
      if (entry !== undefined && !entry.isUsed && !entry.isLent && !entry.isBefore) return entry;
    }
    return this.#hidden.find(
      (entry) => !entry.isUsed && !entry.isLent && textsMatch(entry.described.name, name),
    );
  }

  #skipUsed(name: string, list: readonly TapedEntry[]): number {
    let from = this.#firstOpen.get(name) ?? 0;
    while (list[from]?.isUsed === true) from += 1;
    this.#firstOpen.set(name, from);
    return from;
  }

  /** What the run has changed of its own state. */
  #follow({ method, params }: HostCall): void {
    if (method === "saveCheckpoint") this.#checkpoint = Object(params).checkpoint;
    else if (method === "clearCheckpoint") this.#checkpoint = null;
    else return;
    this.#hasCheckpoint = true;
  }

  #note(
    asked: HostCall & { readonly id?: string | undefined },
    described: DescribedCall,
    end: {
      readonly same?: TapedEntry | undefined;
      readonly isUnknown?: boolean;
      readonly answer?: HostAnswer;
      readonly failure?: Readonly<Record<string, unknown>>;
    },
  ): void {
    const { same, isUnknown = false, answer, failure } = end;
    const { method, params } = asked;
    const body = toBody(asked.body);
    const answered = answer?.body === undefined ? undefined : toBody(answer.body);
    const call: TapeCall = {
      ...{ id: same?.call.id ?? `new-${asked.id ?? this.made.length}`, method, params },
      ...(body !== undefined && { body }),
      ...(answer !== undefined && {
        answer: { value: answer.value, ...(answered !== undefined && { body: answered }) },
      }),
      ...(failure !== undefined && { failure: { ...failure } }),
      ...{ asked_ms: same?.call.asked_ms ?? 0, took_ms: same?.call.took_ms ?? null },
    };
    this.made.push({ call, described, same, isUnknown });
  }
}

/** Answers at this moment are not delivered, as none was when the run was recorded. */
const NEVER = "never";
const IN_VAIN_MS = 10_000;

/** How runs fail that the server ends. */
const ended: ReadonlySet<string> = new Set([
  ...["function_runtime_timed_out", "function_runtime_out_of_memory", "function_runtime_other"],
  ...["execution_timeout", "script_aborted"],
]);

const aborted = { type: "script_aborted", message: "The replay was stopped." };

function isSame(entry: TapedEntry, parts: DescribedCall["parts"], body: Uint8Array): boolean {
  const recorded = entry.described.parts;
  if (valuesMatch(recorded, parts)) return hasSameBytes(entry.call.body, body, parts);
  const { body: taped }: { body?: unknown } = recorded;
  const isCut = typeof taped === "object" && taped !== null && "cut" in taped;
  return isCut && valuesMatch(recorded, { ...parts, body: cutOf(body) });
}

/** JSON with the same values may have other bytes. */
function hasSameBytes(
  recorded: TapeCall["body"],
  now: Uint8Array,
  { headers }: DescribedCall["parts"],
): boolean {
  const isMultipart = JSON.stringify(headers ?? "").includes("multipart/");
  if (recorded === undefined || !("text" in recorded) || isMultipart) return true;
  return textsMatch(recorded.text, new TextDecoder().decode(now));
}

function momentOf(entry: TapedEntry | undefined): { moment?: string } {
  return entry === undefined ? {} : { moment: `a${entry.call.id}` };
}

function nothing({ method, params }: HostCall): unknown {
  if (method === "proxy") return { status: 204, statusText: "No Content", headers: {} };
  if (method !== "fetch") return null;
  return { status: 204, headers: [], url: String(Object(params).url), redirected: false };
}

/** What the process plays: the moments of the tape, from a checkpoint on where one is named. */
export function toPlayed(tape: TapeFile, fromCheckpoint?: string): TapeMoment[] {
  const noted = tape.moments.length === 0 ? [["start", 0, []] as const] : tape.moments;
  const known = new Set(noted.map(([on]) => on));
  // Of a process that was killed, the last moments are not here: the server knows when it answered.
  const added = tape.calls.flatMap(({ id, asked_ms: asked, took_ms: took }): TapeMoment[] =>
    took === null || known.has(`a${id}`) ? [] : [[`a${id}`, Math.round((asked + took) * 1000), []]],
  );
  const all: TapeMoment[] = [...noted, ...added.toSorted((first, second) => first[1] - second[1])];
  const at = all.findIndex(([on]) => on === `a${fromCheckpoint}`);
  if (at === -1) return all;
  const moment = all[at];
  return [["start", moment?.[1] ?? 0, []], ...all.slice(at + 1)];
}
