import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { type TapeFile, tapeFile, tapeLimits } from "@jackfield/contract";
import { getConnectionForCallIfCached, getFreshCredentialsIfCached } from "#connections";
import { AppError, addMs, DAY, type EnvironmentContext, serverState } from "#foundation";
import { defineCache } from "#foundation/cache";
import { withTransaction } from "#foundation/db";
import type { Call, SandboxOutcome } from "#foundation/sandbox";
import { open, seal } from "#vault";
import type { FunctionRun } from "../run/function-run.ts";
import { makeTape, type RecordedRun } from "./make-tape.ts";
import { type RecordingRoom, RunRecorder } from "./run-recorder.ts";
import { findTape, insertTape, listRuleRows, takeNextFailure } from "./store.ts";
import { reasonToRecord, type TapeRule } from "./tape-rule.ts";
import { TapeSecrets } from "./tape-secrets.ts";
import { trimTapes } from "./trim-tapes.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const room = serverState((): RecordingRoom => ({ bytes: 0 }));

/** The recorder of a run that begins; undefined where no rule wants it. */
export async function beginRecording(
  ctx: EnvironmentContext,
  run: FunctionRun,
): Promise<RunRecorder | undefined> {
  const rule = await findTapeRule(ctx, run.fn.id);
  if (rule === undefined) return undefined;
  const now = ctx.clock.now();
  const reason = reasonToRecord(rule, { now, chance: Math.random() });
  if (reason === undefined) return undefined;
  return new RunRecorder({
    ...{ reason, startedAt: now, room: room.of(ctx), secrets: new TapeSecrets() },
    credentialsOf: (call) => credentialsOf(ctx, run, call),
  });
}

/** Those of the connection that a call was made with: just used, they are at hand. */
function credentialsOf(ctx: EnvironmentContext, run: FunctionRun, { params }: Call): unknown {
  const { providerConfigKey, connectionId }: Record<string, unknown> = { ...Object(params) };
  const found = getConnectionForCallIfCached(ctx, ctx.environment.id, {
    integrationKey:
      typeof providerConfigKey === "string" ? providerConfigKey : run.integration.uniqueKey,
    connectionId: typeof connectionId === "string" ? connectionId : run.connection.connectionId,
  });
  return found && getFreshCredentialsIfCached(found, ctx.clock.now());
}

/** Keeps the tape of a run that has ended, if its rule wants it. The run does not wait, and never fails with it. */
export function keepTape(
  ctx: EnvironmentContext,
  run: FunctionRun,
  recorded: Omit<RecordedRun, "input" | "version">,
): void {
  const { recorder, outcome } = recorded;
  if (!recorder.isWanted(outcome)) {
    recorder.end();
    return;
  }
  const whole = { ...recorded, input: run.input, version: run.fn.version };
  saveTape(ctx, run, whole)
    .catch((error: unknown) => {
      ctx.log.warn("tape.lost", { operationId: run.operationId, function: run.fn.name, error });
    })
    .finally(() => recorder.end());
}

async function saveTape(
  ctx: EnvironmentContext,
  run: FunctionRun,
  recorded: RecordedRun,
): Promise<void> {
  const environmentId = ctx.environment.id;
  const { operationId, connection, integration, fn, kind } = run;
  const { recorder, outcome } = recorded;
  await ctx.failpoints.hit("tapes.saving");
  const tape = await makeTape(recorded);
  const bytes = await compress(JSON.stringify(tape));
  const sealed = await seal(ctx, tapeAad(environmentId, operationId), bytes);
  const createdAt = ctx.clock.now();
  await withTransaction(ctx, async ({ db }) => {
    if (recorder.reason === "next_failure") {
      const taken = await takeNextFailure(db, environmentId, { functionId: fn.id, now: createdAt });
      if (!taken) return;
    }
    const row = {
      ...{ operationId, connection: connection.uuid, integrationKey: integration.uniqueKey },
      ...{ functionName: fn.name, kind, reason: recorder.reason, state: stateOf(outcome) },
      ...{ calls: tape.calls.length, bytes: sealed.byteLength, tape: sealed, createdAt },
      isCut: tape.cut !== null || tape.begins_at !== null,
      expiresAt: addMs(createdAt, tapeLimits.retentionDays * DAY),
    };
    const isStored = await insertTape(db, environmentId, row);
    if (isStored) await trimTapes({ ...ctx, db }, row.bytes);
  });
}

function stateOf({ kind }: SandboxOutcome): "success" | "failed" {
  return kind === "done" ? "success" : "failed";
}

function tapeAad(environmentId: string, operationId: string) {
  const row = `${environmentId}/${operationId}`;
  return { environmentId, table: "tapes", column: "tape", row } as Parameters<typeof seal>[1];
}

/** The tape of an operation; throws not_found. */
export async function readTape(ctx: EnvironmentContext, operationId: string): Promise<TapeFile> {
  const environmentId = ctx.environment.id;
  const sealed = await findTape(ctx.db, environmentId, operationId);
  if (sealed === undefined) {
    throw new AppError("not_found", `There is no tape of the operation ${operationId}.`);
  }
  const bytes = await open(ctx, tapeAad(environmentId, operationId), sealed);
  return tapeFile.parse(JSON.parse((await decompress(bytes)).toString()));
}

const NONE: ReadonlyMap<number, TapeRule> = new Map();

const cached = defineCache<ReadonlyMap<number, TapeRule>>({ maxEntries: 10_000 });

/** The rules of the environment by function, for each run; what other processes change is seen within a second. */
async function findTapeRule(
  ctx: EnvironmentContext,
  functionId: number,
): Promise<TapeRule | undefined> {
  const { id } = ctx.environment;
  const known = cached.getIfCached(ctx, id);
  if (known !== undefined) return known.get(functionId);
  const load = async () => {
    const rules = await listRuleRows(ctx.db, id, ctx.clock.now());
    return rules.length === 0 ? NONE : new Map(rules.map((rule) => [rule.functionId, rule]));
  };
  const found = await cached.find(ctx, id, async () => ({
    value: await load(),
    rows: [`tape_rules ${id}`],
  }));
  return (found ?? (await load())).get(functionId);
}
