import { type RunFacts, runFacts } from "@jackfield/contract/runtime";
import { type TapeFile, type TapeOutcome, tapeFile } from "@jackfield/contract/tape-file";
import {
  compareReplay,
  fromBody,
  HostFailure,
  isSameAsTape,
  type OnUnknown,
  type TapeDifference,
  TapeHost,
  toBody,
  toPlayed,
} from "@jackfield/functions/test-kit";
import { CallError, type Sandbox, type SandboxOutcome } from "@jackfield/server/sandbox";
import type { BuiltFunction } from "../project/build-project.ts";
import { UserError } from "../user-error.ts";

const RUN_TIMEOUT_MS = 30 * 60_000;

export interface TapeReplay {
  readonly isSame: boolean;
  readonly difference: TapeDifference;
  /** Calls that the tape does not have. */
  readonly unknown: readonly string[];
  /** Why the run was not replayed to its end. */
  readonly stopped: string | undefined;
  readonly outcome: TapeOutcome;
  readonly calls: number;
  /** The run as it was now, as a tape of its own. */
  readonly now: TapeFile;
}

interface ReplayOptions {
  readonly onUnknown: OnUnknown;
  /** Resume from the checkpoint that a call of this id has saved. */
  readonly fromCheckpoint?: string | undefined;
}

/** Runs a function here against a tape: with its clock, its random values and its answers, without a network. */
export async function replayTape(
  sandbox: Sandbox,
  fn: Pick<BuiltFunction, "bundle" | "functionName" | "integrationId">,
  tape: TapeFile,
  { onUnknown, fromCheckpoint = tape.begins_at?.call }: ReplayOptions,
): Promise<TapeReplay> {
  const stopping = new AbortController();
  const host = new TapeHost(tape, { onUnknown, fromCheckpoint, onStop: () => stopping.abort() });
  const input = fromBody(tape.input);
  if (input === undefined) {
    throw new UserError("The tape has not the input of the run, which was too long for it.");
  }
  const run = { tape, host, input, signal: stopping.signal, fromCheckpoint };
  const outcome = toTapeOutcome(await runInSandbox(sandbox, fn, run));
  host.end();
  const difference = compareReplay(tape, host, host.stopped === undefined ? outcome : undefined);
  const unknown = host.made.flatMap(({ isUnknown, described }) =>
    isUnknown ? [described.name] : [],
  );
  return {
    isSame: isSameAsTape(difference) && unknown.length === 0,
    ...{ difference, unknown, stopped: host.stopped, outcome, calls: host.made.length },
    now: toTape(tape, host, outcome),
  };
}

async function runInSandbox(
  sandbox: Sandbox,
  {
    bundle,
    functionName,
    integrationId,
  }: Pick<BuiltFunction, "bundle" | "functionName" | "integrationId">,
  run: {
    readonly tape: TapeFile;
    readonly host: TapeHost;
    readonly input: Uint8Array;
    readonly signal: AbortSignal;
    readonly fromCheckpoint: string | undefined;
  },
): Promise<SandboxOutcome> {
  const { tape, host, input, signal, fromCheckpoint } = run;
  return await sandbox.run({
    environmentId: "local",
    connection: `${tape.operation_id} ${performance.now()}`,
    bundle: {
      id: bundle.sha256,
      filename: `${integrationId}/${functionName}.js`,
      code: bundle.code,
    },
    facts: toFacts(tape, fromCheckpoint),
    ...(input.byteLength > 0 && { input }),
    timeoutMs: RUN_TIMEOUT_MS,
    signal,
    exclusive: true,
    onCall: async (call) => {
      try {
        return await host.call(call);
      } catch (error) {
        if (!(error instanceof HostFailure)) throw error;
        throw new CallError(error.error, { cause: error, moment: error.moment });
      }
    },
  });
}

function toFacts(tape: TapeFile, fromCheckpoint: string | undefined): RunFacts {
  const facts = runFacts.parse(tape.facts);
  return {
    ...facts,
    tape: {
      seed: tape.seed,
      startedAtMs: tape.started_at_ms,
      play: toPlayed(tape, fromCheckpoint).map(([on, at, reads]) => [on, at, [...reads]]),
    },
  };
}

function toTapeOutcome(outcome: SandboxOutcome): TapeOutcome {
  if (outcome.kind === "failed") return { kind: "failed", error: { ...outcome.error } };
  const output = toBody(outcome.output);
  const { interrupted } = outcome;
  return { kind: "done", interrupted, ...(output !== undefined && { output }) };
}

function toTape(tape: TapeFile, host: TapeHost, outcome: TapeOutcome): TapeFile {
  const before = host.entries.flatMap(({ isBefore, call }) => (isBefore ? [call] : []));
  const made = host.made.flatMap(({ call, same }) => (same?.isBefore === true ? [] : [call]));
  const calls = [...before, ...made];
  return tapeFile.parse(JSON.parse(JSON.stringify({ ...tape, calls, outcome })));
}
