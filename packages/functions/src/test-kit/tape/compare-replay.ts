import type { TapeBody, TapeCall, TapeFile, TapeOutcome } from "@jackfield/contract/tape-file";
import { tryParse } from "./described-call.ts";
import { listChanges, textsMatch, valuesMatch } from "./match-values.ts";
import type { MadeCall, TapedEntry, TapeHost } from "./tape-host.ts";

export interface ChangedCall {
  readonly call: string;
  /** `query.limit: recorded "100", now "50"`. */
  readonly differences: readonly string[];
}

export interface ModelDifference {
  readonly added: readonly string[];
  readonly missing: readonly string[];
  readonly changed: readonly { readonly id: string; readonly differences: readonly string[] }[];
}

/** How a run differs from its tape. */
export interface TapeDifference {
  readonly calls: {
    readonly added: readonly string[];
    readonly missing: readonly string[];
    readonly changed: readonly ChangedCall[];
  };
  /** By model and what was done, such as `Contact saved`. */
  readonly saves: Readonly<Record<string, ModelDifference>>;
  readonly checkpoints: readonly string[];
  readonly metadata: readonly string[];
  readonly logs: readonly string[];
  /** Of an action's output, or of the error. */
  readonly outcome: readonly string[];
}

const saving: ReadonlySet<string> = new Set(["batchSave", "batchUpdate", "batchDelete"]);
const checkpointing: ReadonlySet<string> = new Set(["saveCheckpoint", "clearCheckpoint"]);
/** Of the run's own state; what they return is on the tape. */
const uncompared: ReadonlySet<string> = new Set([
  "noteMoments",
  "getCheckpoint",
  "getRecordSequence",
]);

export function compareReplay(
  tape: TapeFile,
  host: TapeHost,
  end: TapeOutcome | undefined,
): TapeDifference {
  const expected = host.entries.filter(({ isBefore }) => !isBefore);
  const made = host.made.filter(({ same }) => same?.isBefore !== true);
  const isStopped = end === undefined;
  // What a run that was stopped would have done is not known.
  const left = isStopped ? [] : expected.filter(({ isUsed }) => !isUsed);
  const lent = expected.filter(({ isUsed, isLent }) => !isUsed && isLent);
  const outside = (method: string) =>
    !saving.has(method) &&
    !checkpointing.has(method) &&
    !uncompared.has(method) &&
    method !== "log" &&
    method !== "setMetadata";
  const extra = made.filter(({ same }) => same === undefined);
  const recorded = isStopped ? expected.filter(({ isUsed, isLent }) => isUsed || isLent) : expected;
  return {
    calls: pairUp(
      (isStopped ? lent : left).filter(({ described }) => outside(described.method)),
      extra.filter(({ described }) => outside(described.method)),
    ),
    saves: compareSaves(recorded, made),
    checkpoints: compareLists(recorded, made, checkpointing, ({ method, params }) =>
      method === "clearCheckpoint" ? null : Object(params).checkpoint,
    ),
    metadata: compareLists(recorded, made, new Set(["setMetadata"]), ({ params }) => params),
    logs: compareLists(recorded, made, new Set(["log"]), ({ params }) => params),
    outcome: end === undefined ? [] : compareOutcomes(tape.outcome, end),
  };
}

export function isSameAsTape({ calls, saves, ...rest }: TapeDifference): boolean {
  const lists = [calls.added, calls.missing, calls.changed, ...Object.values(rest)];
  return lists.every((list) => list.length === 0) && Object.keys(saves).length === 0;
}

/** A call that is not on the tape and one of the same name that was not made are one that has changed. */
function pairUp(left: readonly TapedEntry[], extra: readonly MadeCall[]): TapeDifference["calls"] {
  const open = new Set(left);
  const added: string[] = [];
  const changed: ChangedCall[] = [];
  for (const { described } of extra) {
    const like = [...open].find((entry) => entry.described.name === described.name);
    if (like === undefined) {
      added.push(described.name);
      continue;
    }
    open.delete(like);
    const differences = listChanges(like.described.parts, described.parts);
    const shown = differences.length > 0 ? differences : ["body: the same values, other bytes"];
    changed.push({ call: described.name, differences: shown });
  }
  return { added, missing: [...open].map(({ described }) => described.name), changed };
}

type Saved = Map<string, Map<string, unknown>>;

function compareSaves(
  recorded: readonly TapedEntry[],
  made: readonly MadeCall[],
): Record<string, ModelDifference> {
  const before = collectSaves(recorded.map(({ call }) => call));
  const after = collectSaves(made.map(({ call }) => call));
  const found: [string, ModelDifference][] = [];
  for (const what of new Set([...before.keys(), ...after.keys()])) {
    const [was, now] = [before.get(what) ?? new Map(), after.get(what) ?? new Map()];
    const added = [...now.keys()].filter((id) => !was.has(id));
    const missing = [...was.keys()].filter((id) => !now.has(id));
    const changed = [...now].flatMap(([id, record]) => {
      if (!was.has(id) || valuesMatch(was.get(id), record)) return [];
      return [{ id, differences: listChanges(was.get(id), record) }];
    });
    if (added.length + missing.length + changed.length > 0) {
      found.push([what, { added, missing, changed }]);
    }
  }
  return Object.fromEntries(found);
}

const done: Readonly<Record<string, string>> = {
  batchSave: "saved",
  batchUpdate: "updated",
  batchDelete: "deleted",
};

function collectSaves(calls: readonly TapeCall[]): Saved {
  const saves: Saved = new Map();
  for (const { method, params, body, failure } of calls) {
    const verb = done[method];
    if (verb === undefined || failure !== undefined) continue;
    const { model, ids }: { model?: unknown; ids?: unknown } = Object(params);
    const what = `${String(model)} ${verb}`;
    const of = saves.get(what) ?? new Map<string, unknown>();
    saves.set(what, of);
    const lines = body !== undefined && "text" in body ? body.text.split("\n") : [];
    const named = Array.isArray(ids) ? ids : [];
    for (const [at, id] of named.entries()) {
      const line = lines[at];
      of.set(String(id), line === undefined ? null : tryParse(line));
    }
  }
  return saves;
}

/** Calls whose order and contents are what counts. */
function compareLists(
  recorded: readonly TapedEntry[],
  made: readonly MadeCall[],
  methods: ReadonlySet<string>,
  readValue: (call: TapeCall) => unknown,
): string[] {
  const of = (calls: readonly TapeCall[]) =>
    calls.filter(({ method }) => methods.has(method)).map(readValue);
  return listChanges(
    of(recorded.map(({ call }) => call)),
    toPlain(of(made.map(({ call }) => call))),
  );
}

function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function compareOutcomes(recorded: TapeOutcome, now: TapeOutcome): string[] {
  const changes = listChanges(toComparable(recorded), toComparable(now));
  if (changes.length > 0 || recorded.kind === "failed" || now.kind === "failed") return changes;
  const [was, is] = [textOf(recorded.output), textOf(now.output)];
  return textsMatch(was, is) ? [] : ["output: the same values, other bytes"];
}

function textOf(body: TapeBody | undefined): string {
  return body !== undefined && "text" in body ? body.text : "";
}

function toComparable(outcome: TapeOutcome): unknown {
  if (outcome.kind === "failed") {
    const { type, message } = outcome.error;
    return { error: { type, message } };
  }
  const { output, interrupted } = outcome;
  const value = output !== undefined && "text" in output ? tryParse(output.text) : output;
  return { interrupted, ...(value !== undefined && { output: value }) };
}
