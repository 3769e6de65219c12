import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { styleText } from "node:util";
import { getProvider } from "@jackfield/catalogue";
import type { ProjectFile } from "@jackfield/functions/compile";
import {
  casesOf,
  compareWithCase,
  factsOfCase,
  hostOptionsOfCase,
  LocalHost,
  type RecordedCase,
  type Recording,
  replayOf,
  toRunResult,
} from "@jackfield/functions/test-kit";
import type { Sandbox } from "@jackfield/server/sandbox";
import { Command } from "commander";
import { guardReach } from "../../dryrun/guard-reach.ts";
import { readRecordingOf, recordingPath } from "../../dryrun/recording-file.ts";
import { needsServer } from "../../load-server.ts";
import { printJson } from "../../output/print-json.ts";
import { startProgress } from "../../output/progress.ts";
import type { BuiltFunction } from "../../project/build-project.ts";
import { findProject } from "../../project/find-project.ts";
import { presentWarnings } from "../../project/present-warnings.ts";
import {
  buildFiles,
  listFunctionFiles,
  selectFunction,
  selectIntegration,
} from "../../project/select-function.ts";
import { exitCodes, messageOf, UserError } from "../../user-error.ts";

interface TestOptions {
  integration?: string;
  json?: true;
}

interface TestedCase {
  readonly function: string;
  readonly case: string;
  readonly problems: readonly string[];
}

export function testCommand(): Command {
  return new Command("test")
    .description("run functions against their recordings, without a network")
    .argument(
      "[functions...]",
      "names, or <integration>/<name>; default: all that have a recording",
    )
    .option("-i, --integration <id>", "only this integration's functions")
    .option("--json", "print results and differences as JSON")
    .addHelpText(
      "after",
      "\n`jackfield dryrun --save` writes the recordings: <integration>/tests/<name>.test.json. A call that was not\n" +
        "recorded, a recorded answer that was not used and a changed result are differences; the exit code is then 5.\n" +
        "\nExamples:\n  $ jackfield test\n  $ jackfield test crm/contacts",
    )
    .action(test);
}

async function test(names: readonly string[], options: TestOptions): Promise<void> {
  const projectDir = findProject();
  using progress = startProgress();
  progress.show("checking types and bundling");
  const chosen = choose(await listFunctionFiles(projectDir), names, options);
  const recorded = chosen.filter((file) => existsSync(join(projectDir, recordingPath(file))));
  const untested = chosen.filter((file) => !recorded.includes(file)).map(nameOf);
  if (names.length > 0 && untested.length > 0) throw toMissing(untested, chosen);
  const { functions, warnings } = await buildFiles(projectDir, recorded);
  if (options.json !== true) presentWarnings(warnings);
  const { openLocalSandbox } = await needsServer(import("../../dryrun/run-locally.ts"));
  await using sandbox = await openLocalSandbox(projectDir);
  const tested: TestedCase[] = [];
  for (const [index, fn] of functions.entries()) {
    const name = nameOf(fn);
    progress.show(name, { count: index + 1, total: functions.length });
    const read = await tryToRead(projectDir, fn);
    if ("problem" in read) {
      tested.push({ function: name, case: recordingPath(fn), problems: [read.problem] });
      continue;
    }
    const cases = casesOf(read.recording, fn.description.type);
    if (cases.length === 0) untested.push(name);
    for (const recorded of cases) {
      const problems = await replayCase({
        ...{ sandbox, fn, recording: read.recording, recorded, projectDir },
      });
      tested.push({ function: name, case: recorded.name, problems });
    }
  }
  progress[Symbol.dispose]();
  report(tested, untested, options);
}

function choose(
  files: readonly ProjectFile[],
  names: readonly string[],
  { integration }: TestOptions,
): readonly ProjectFile[] {
  if (names.length === 0) return selectIntegration(files, integration);
  return names.map((name) => selectFunction(files, { name, integration }));
}

/** One file that cannot be read keeps no other from being tested. */
async function tryToRead(
  projectDir: string,
  fn: BuiltFunction,
): Promise<{ recording: Recording } | { problem: string }> {
  try {
    const recording = await readRecordingOf(projectDir, fn);
    return recording === undefined ? { problem: "the recording is gone" } : { recording };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** What differs, in words; none: the case passed. */
async function replayCase(given: {
  sandbox: Sandbox;
  fn: BuiltFunction;
  recording: Recording;
  recorded: RecordedCase;
  projectDir: string;
}): Promise<string[]> {
  const { sandbox, fn, recording, recorded, projectDir } = given;
  if (recorded.tape !== undefined) {
    return await replayTapeOf(
      sandbox,
      fn,
      join(projectDir, dirname(recordingPath(fn)), recorded.tape),
    );
  }
  const { runLocally } = await import("../../dryrun/run-locally.ts");
  const facts = {
    ...factsOfCase(recording, recorded),
    // Recorded elsewhere, it is no answer of its own.
    ...(recorded.other !== undefined && {
      pagination: readPagination(recorded.connection.provider),
    }),
  };
  const replay = replayOf(facts, recorded);
  const reach = { ...fn.description, functionName: fn.functionName };
  const forward = guardReach(replay.forward, reach);
  const host = new LocalHost({ ...hostOptionsOfCase(recorded), facts, forward });
  const end = await runLocally(sandbox, fn, { facts, host, input: recorded.input });
  const problems = [...replay.listProblems(), ...compareWithCase(recorded, toRunResult(host, end))];
  const isNew =
    "error" in end && recorded.result.error === undefined && recorded.other === undefined;
  return isNew
    ? [...problems, `the function failed: ${end.error.type}: ${end.error.message}`]
    : problems;
}

/** A run that was recorded in production: what the function does now is to be what its tape has. */
async function replayTapeOf(sandbox: Sandbox, fn: BuiltFunction, file: string): Promise<string[]> {
  if (!existsSync(file)) return [`its tape ${file} is gone`];
  const [{ replayTape }, { parseTape }, { presentDifference }] = await Promise.all([
    import("../../replay/replay-tape.ts"),
    import("../../replay/read-tape.ts"),
    import("../../replay/present-replay.ts"),
  ]);
  const tape = parseTape(await readFile(file, "utf8"), file);
  const { difference, stopped, isSame } = await replayTape(sandbox, fn, tape, {
    onUnknown: "stop",
  });
  if (isSame) return [];
  return [
    ...presentDifference(difference),
    ...(stopped === undefined ? [] : [`stopped: ${stopped}`]),
  ];
}

/** How the provider's entry pages lists, as the server tells a run. */
function readPagination(provider: string): Record<string, string | number> {
  const entries = Object.entries(getProvider(provider)?.pagination ?? {});
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

function nameOf({ integrationId, functionName }: ProjectFile): string {
  return `${integrationId}/${functionName}`;
}

function toMissing(untested: readonly string[], chosen: readonly ProjectFile[]): UserError {
  const files = chosen
    .filter((file) => untested.includes(nameOf(file)))
    .map((file) => `  ${recordingPath(file)}`);
  return new UserError(
    `There is no recording:\n${files.join("\n")}\nMake it with \`jackfield dryrun ${untested[0]} --save\`.`,
    { exitCode: exitCodes.testsFailed },
  );
}

function report(
  tested: readonly TestedCase[],
  untested: readonly string[],
  options: TestOptions,
): void {
  const failed = tested.filter(({ problems }) => problems.length > 0);
  if (options.json === true) {
    printJson({
      passed: tested.length - failed.length,
      failed: failed.length,
      cases: tested,
      untested,
    });
  } else {
    for (const { function: name, case: label, problems } of tested) {
      const mark = problems.length === 0 ? styled("green", "pass") : styled("red", "FAIL");
      console.log(`${mark} ${name} (${label})`);
      for (const problem of problems) console.log(`     ${problem}`);
    }
    for (const name of untested) console.log(`${styled("yellow", "none")} ${name}: no recording`);
    console.log(
      `${tested.length - failed.length} passed, ${failed.length} failed, ${untested.length} without a recording`,
    );
  }
  if (failed.length > 0) throw new UserError("", { exitCode: exitCodes.testsFailed });
}

function styled(colour: "green" | "red" | "yellow", text: string): string {
  return styleText(colour, text, { stream: process.stdout });
}
