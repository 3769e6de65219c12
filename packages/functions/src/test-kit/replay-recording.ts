import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunFacts } from "@jackfield/contract/runtime";
import type { AnyDefinition } from "./any-definition.ts";
import { findDifferences } from "./differences.ts";
import { LocalHost } from "./local-host.ts";
import type { LogLine } from "./local-methods.ts";
import { parseRecording, type RecordedCase, type Recording, type RunResult } from "./recording.ts";
import { type Replay, replayCalls } from "./replay.ts";
import { compareWithOther, replayOther } from "./replay-other.ts";
import { localFacts, runInProcess } from "./run-function.ts";
import { toRunResult } from "./to-result.ts";

export interface ReplayedCase {
  readonly name: string;
  readonly result: RunResult;
  readonly logs: readonly LogLine[];
  /** Calls that do not fit the recording, and how the result differs from the recorded one; none: it passed. */
  readonly problems: readonly string[];
}

/**
 * Reads a file that `jackfield dryrun --save`, or the compatible platform's command line, wrote as
 * `<integration>/tests/<function>.test.json`; throws an Error that names what is wrong with it.
 */
export async function readRecording(file: string | URL): Promise<Recording> {
  const path = file instanceof URL ? fileURLToPath(file) : file;
  const text = await readFile(path, "utf8");
  try {
    return parseRecording(text, {
      integration: basename(dirname(dirname(path))),
      function: basename(path).replace(/\.test\.json$/, ""),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${path} cannot be replayed: ${why}`, { cause: error });
  }
}

/**
 * Runs a function in this process against its recording, without a network:
 * `expect(await replay(contacts, new URL("./contacts.test.json", import.meta.url))).toEqual([])`.
 * Resolves to one line for each thing that differs from what was recorded.
 */
export async function replay(definition: AnyDefinition, file: string | URL): Promise<string[]> {
  const recording = await readRecording(file);
  const problems: string[] = [];
  for (const recorded of casesOf(recording, definition.type)) {
    if (recorded.tape !== undefined) {
      problems.push(`${recorded.name}: it is a tape, which \`jackfield test\` replays`);
      continue;
    }
    const replayed = await replayCase(definition, recording, recorded);
    problems.push(...replayed.problems.map((problem) => `${recorded.name}: ${problem}`));
  }
  return problems;
}

/** Runs one case and tells what differs. */
export async function replayCase(
  definition: AnyDefinition,
  recording: Recording,
  recorded: RecordedCase,
): Promise<ReplayedCase> {
  const facts = factsOfCase(recording, recorded);
  const replayed = replayOf(facts, recorded);
  const host = new LocalHost({ ...hostOptionsOfCase(recorded), facts, forward: replayed.forward });
  const end = await runInProcess(definition, { facts, host, input: recorded.input });
  const result = toRunResult(host, end);
  return {
    name: recorded.name,
    result,
    logs: host.state.logs,
    problems: [...replayed.listProblems(), ...compareWithCase(recorded, result)],
  };
}

export function factsOfCase(recording: Recording, recorded: RecordedCase) {
  const { lastSyncDate, variant, connection } = recorded;
  return localFacts({
    kind: recorded.kind,
    functionName: recording.function,
    providerConfigKey: recording.integration,
    connectionId: connection.id,
    provider: connection.provider,
    ...(variant !== undefined && { variant }),
    ...(lastSyncDate !== undefined && { lastSyncDate }),
  });
}

export function hostOptionsOfCase({ metadata, checkpoint }: RecordedCase) {
  return {
    ...(metadata !== undefined && { metadata }),
    ...(checkpoint !== undefined && { checkpoint }),
  };
}

/** The cases of a function of a type; a sync and an action of one name have one file. */
export function casesOf({ cases }: Recording, type: AnyDefinition["type"]): RecordedCase[] {
  return cases.flatMap((recorded) => {
    if (recorded.other !== undefined) return [{ ...recorded, kind: type }];
    const isOf = recorded.kind === type || (recorded.kind === "webhook" && type === "sync");
    return isOf ? [recorded] : [];
  });
}

/** Answers the calls of a case, and tells afterwards which did not fit. */
export function replayOf(
  facts: Pick<RunFacts, "connectionId" | "providerConfigKey" | "provider">,
  { calls, other }: RecordedCase,
): Replay {
  return other === undefined ? replayCalls(facts, calls) : replayOther(facts, other);
}

/** One line for each place where what a run did is not what the case says. */
export function compareWithCase({ result, other }: RecordedCase, now: RunResult): string[] {
  return other === undefined ? compareResults(result, now) : compareWithOther(other, now);
}

function compareResults(recorded: RunResult, now: RunResult): string[] {
  return findDifferences(toComparable(recorded), toComparable(now)).map(
    (difference) => `the result differs: ${difference}`,
  );
}

/** The words of an error may change; its type and whether there is one may not. */
function toComparable({ error, ...rest }: RunResult): unknown {
  return JSON.parse(JSON.stringify({ ...rest, error: error?.type }));
}
