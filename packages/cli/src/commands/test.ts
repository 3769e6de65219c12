import { styleText } from "node:util";
import {
  compareResults,
  factsOfCase,
  hostOptionsOfCase,
  LocalHost,
  type RecordedCase,
  type Recording,
  replayCalls,
  toRunResult,
} from "@jackfield/functions/test-kit";
import type { Sandbox } from "@jackfield/server/sandbox";
import { Command } from "commander";
import { readRecordingOf, recordingPath } from "../dryrun/recording-file.ts";
import { printJson } from "../output/print-json.ts";
import { startProgress } from "../output/progress.ts";
import { type BuiltFunction, buildProject } from "../project/build-project.ts";
import { findProject } from "../project/find-project.ts";
import { presentWarnings } from "../project/present-warnings.ts";
import { selectFunction } from "../project/select-function.ts";
import { exitCodes, UserError } from "../user-error.ts";

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
    .option("--integration <id>", "only this integration's functions")
    .option("--json", "print what passed and what differs as JSON")
    .addHelpText(
      "after",
      "\n`jackfield dryrun --save` writes the recordings: <integration>/tests/<name>.test.json. A call that was not\n" +
        "recorded, an answer that nobody asked for and a changed result are differences; then the exit code is 5.\n" +
        "\nExamples:\n  $ jackfield test\n  $ jackfield test crm/contacts",
    )
    .action(test);
}

async function test(names: readonly string[], options: TestOptions): Promise<void> {
  const projectDir = findProject();
  using progress = startProgress();
  progress.show("checking types and bundling");
  const { functions, warnings } = await buildProject(projectDir);
  if (options.json !== true) presentWarnings(warnings);
  const chosen = choose(functions, names, options);
  const { openLocalSandbox } = await import("../dryrun/run-locally.ts");
  await using sandbox = await openLocalSandbox(projectDir);
  const tested: TestedCase[] = [];
  const untested: string[] = [];
  for (const [index, fn] of chosen.entries()) {
    const name = `${fn.integrationId}/${fn.functionName}`;
    progress.show(name, { count: index + 1, total: chosen.length });
    const recording = await readRecordingOf(projectDir, fn);
    if (recording === undefined) untested.push(name);
    for (const recorded of recording?.cases ?? []) {
      const problems = await replayCase({ sandbox, fn, recording, recorded });
      tested.push({ function: name, case: recorded.name, problems });
    }
  }
  progress[Symbol.dispose]();
  if (names.length > 0 && untested.length > 0) throw toMissing(untested, chosen);
  report(tested, untested, options);
}

function choose(
  functions: readonly BuiltFunction[],
  names: readonly string[],
  { integration }: TestOptions,
): BuiltFunction[] {
  if (names.length > 0)
    return names.map((name) => selectFunction(functions, { name, integration }));
  const chosen = functions.filter(
    (fn) => integration === undefined || fn.integrationId === integration,
  );
  if (chosen.length > 0) return chosen;
  throw new UserError(`index.ts has no function of the integration ${integration}.`, {
    exitCode: exitCodes.usage,
  });
}

/** What differs, in words; none: the case passed. */
async function replayCase(given: {
  sandbox: Sandbox;
  fn: BuiltFunction;
  recording: Recording | undefined;
  recorded: RecordedCase;
}): Promise<string[]> {
  const { sandbox, fn, recording, recorded } = given;
  if (recording === undefined) return [];
  const { runLocally } = await import("../dryrun/run-locally.ts");
  const facts = factsOfCase(recording, recorded);
  const replay = replayCalls(facts, recorded.calls);
  const host = new LocalHost({ ...hostOptionsOfCase(recorded), facts, forward: replay.forward });
  const end = await runLocally(sandbox, fn, { facts, host, input: recorded.input });
  const problems = [
    ...replay.listProblems(),
    ...compareResults(recorded.result, toRunResult(host, end)),
  ];
  const isNew = "error" in end && recorded.result.error === undefined;
  return isNew
    ? [...problems, `the function failed: ${end.error.type}: ${end.error.message}`]
    : problems;
}

function toMissing(untested: readonly string[], chosen: readonly BuiltFunction[]): UserError {
  const files = chosen
    .filter((fn) => untested.includes(`${fn.integrationId}/${fn.functionName}`))
    .map((fn) => `  ${recordingPath(fn)}`);
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
