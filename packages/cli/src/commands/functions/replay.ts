import type { TapeFile } from "@jackfield/contract/tape-file";
import type { OnUnknown } from "@jackfield/functions/test-kit";
import { Command, Option } from "commander";
import { needsServer } from "../../load-server.ts";
import { printJson } from "../../output/print-json.ts";
import { startProgress } from "../../output/progress.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import type { BuiltFunction } from "../../project/build-project.ts";
import { findProject } from "../../project/find-project.ts";
import { presentWarnings } from "../../project/present-warnings.ts";
import { buildFiles, listFunctionFiles, selectFunction } from "../../project/select-function.ts";
import { presentReplay } from "../../replay/present-replay.ts";
import { readTape } from "../../replay/read-tape.ts";
import type { TapeReplay } from "../../replay/replay-tape.ts";
import { saveTapeTest } from "../../replay/save-test.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface ReplayOptions {
  environment: string;
  function?: string;
  onUnknown: OnUnknown;
  fromCheckpoint?: string | true;
  saveTest?: true;
  case?: string;
  json?: true;
}

export function replayCommand(): Command {
  return new Command("replay")
    .description("run a function against the tape of a recorded run, without a network")
    .argument("<operation>", "id of the run's operation, or a file with its tape")
    .option("-e, --environment <name>", "environment of the operation", "dev")
    .option("--function <name>", "function to run in place of the recorded one")
    .addOption(
      new Option("--on-unknown <what>", "what a call gets that the tape does not have")
        .choices(["stop", "fail", "skip"])
        .default("stop"),
    )
    .option(
      "--from-checkpoint [number]",
      "resume from a checkpoint that the run saved: the last one, or the one with this number from 1 on",
    )
    .option("--save-test", "write the run as a case that `jackfield test` replays")
    .option("--case <name>", "name of that case (default: the operation)")
    .option("--json", "print the whole result as JSON")
    .addHelpText(
      "after",
      "\nThe function of the project runs in a process of this machine with the tape's clock, random values and\n" +
        "answers. Exit code 5 means that it did something else than on the tape. The API key needs\n" +
        "environment:tapes:read.\n" +
        "\nExamples:\n  $ jackfield replay 0199f0c2-7d1e-7c1c-9f63-5d0f0a3f5f10\n" +
        "  $ jackfield replay contacts.tape.json --on-unknown skip\n" +
        "  $ jackfield replay 0199f0c2-7d1e-7c1c-9f63-5d0f0a3f5f10 --save-test --case lost-page",
    )
    .action(replay);
}

async function replay(named: string, options: ReplayOptions): Promise<void> {
  const projectDir = findProject();
  using progress = startProgress();
  progress.show("reading the tape");
  const tape = await readTape(named, () => findPlatform(options.environment));
  const fromCheckpoint = findCheckpoint(tape, options.fromCheckpoint);
  progress.show("checking types and bundling");
  const fn = await buildFunction(projectDir, tape, options);
  const { openLocalSandbox } = await needsServer(import("../../dryrun/run-locally.ts"));
  const { replayTape } = await needsServer(import("../../replay/replay-tape.ts"));
  await using sandbox = await openLocalSandbox(projectDir);
  progress.show("replaying");
  const { onUnknown } = options;
  const replayed = await replayTape(sandbox, fn, tape, { onUnknown, fromCheckpoint });
  progress[Symbol.dispose]();
  const saved = await saveIfAsked(projectDir, fn, replayed, options);
  present(fn, tape, replayed, { saved, isJson: options.json === true });
  if (!replayed.isSame) throw new UserError("", { exitCode: exitCodes.testsFailed });
}

async function buildFunction(
  projectDir: string,
  tape: TapeFile,
  options: ReplayOptions,
): Promise<BuiltFunction> {
  const recorded = tape.function;
  const name = options.function ?? `${recorded.provider_config_key}/${recorded.name}`;
  const files = await listFunctionFiles(projectDir);
  const file = selectFunction(files, { name, integration: undefined });
  const { functions, warnings } = await buildFiles(projectDir, [file]);
  if (options.json !== true) presentWarnings(warnings);
  const [fn] = functions;
  if (fn === undefined) throw new UserError(`${file.file} was not built.`);
  return fn;
}

/** Id of the call that saved the checkpoint; undefined where the run begins at its beginning. */
function findCheckpoint(tape: TapeFile, asked: string | true | undefined): string | undefined {
  if (asked === undefined) return undefined;
  const saved = tape.calls.filter(
    ({ method, answer }) => method === "saveCheckpoint" && answer !== undefined,
  );
  const found = asked === true ? saved.at(-1) : saved[Number(asked) - 1];
  if (found !== undefined) return found.id;
  const message =
    saved.length === 0
      ? "--from-checkpoint: the run saved no checkpoint."
      : `--from-checkpoint: the run saved ${saved.length} checkpoints; name one by its number, from 1 on.`;
  throw new UserError(message, { exitCode: exitCodes.usage });
}

async function saveIfAsked(
  projectDir: string,
  fn: BuiltFunction,
  { now, stopped }: TapeReplay,
  options: ReplayOptions,
): Promise<string[] | undefined> {
  if (options.saveTest !== true) return undefined;
  if (stopped !== undefined) {
    throw new UserError(`Nothing was saved, since the run was stopped: ${stopped}.`, {
      exitCode: exitCodes.testsFailed,
    });
  }
  return await saveTapeTest(projectDir, fn, { tape: now, name: options.case });
}

function present(
  fn: BuiltFunction,
  tape: TapeFile,
  replayed: TapeReplay,
  { saved, isJson }: { readonly saved: string[] | undefined; readonly isJson: boolean },
): void {
  if (isJson) {
    const { isSame, difference, unknown, stopped, outcome, calls } = replayed;
    printJson({
      operation: tape.operation_id,
      ...{ integration: fn.integrationId, function: fn.functionName },
      same: isSame,
      ...{ difference, unknown, stopped: stopped ?? null, outcome, calls, cut: tape.cut },
      ...(saved !== undefined && { saved }),
    });
    return;
  }
  for (const line of presentReplay(replayed)) console.log(line);
  if (saved !== undefined) console.log(`Saved in ${saved.join(" and ")}`);
}
