import { functionLimits } from "@jackfield/contract/function-limits";
import type { RuntimeParams } from "@jackfield/contract/runtime";
import { checkValue } from "./check-value.ts";
import { type Run, requireOpen, requireRunning } from "./run.ts";
import { ExecutionInterrupted } from "./run-failure.ts";

type FlatCheckpoint = RuntimeParams<"saveCheckpoint">["checkpoint"];

const LIMITS = {
  fields: functionLimits.checkpointFields.value,
  nameLength: functionLimits.checkpointName.value,
  textLength: functionLimits.checkpointText.value,
} as const;

export async function getCheckpoint(run: Run): Promise<Record<string, unknown> | null> {
  requireRunning(run);
  const { value } = await run.channel.call("getCheckpoint", {});
  return value;
}

/** Saves first and asks about cancellation and the soft time limit afterwards, so that no progress is lost. */
export async function saveCheckpoint(run: Run, checkpoint: unknown): Promise<void> {
  requireOpen(run);
  const flat = toFlatCheckpoint(checkpoint);
  await checkValue(run, {
    what: "checkpoint",
    label: "The checkpoint",
    schema: run.schemas.checkpoint,
    value: checkpoint,
  });
  await run.channel.call("saveCheckpoint", { checkpoint: flat });
  requireRunning(run);
  const { softTimeoutMs } = run.facts;
  if (softTimeoutMs !== undefined && run.elapsedMs() >= softTimeoutMs) {
    throw new ExecutionInterrupted("The run pauses at this checkpoint and resumes from it.");
  }
}

export async function clearCheckpoint(run: Run): Promise<void> {
  requireRunning(run);
  await run.channel.call("clearCheckpoint", {});
}

function toFlatCheckpoint(checkpoint: unknown): FlatCheckpoint {
  if (typeof checkpoint !== "object" || checkpoint === null || Array.isArray(checkpoint)) {
    throw new TypeError("saveCheckpoint: pass an object, for example { page: 3 }.");
  }
  const fields = Object.entries(checkpoint).filter(([, value]) => value !== undefined);
  if (fields.length > LIMITS.fields) {
    throw new TypeError(`saveCheckpoint: ${fields.length} fields; at most ${LIMITS.fields} fit.`);
  }
  return Object.fromEntries(
    fields.map(([name, value]) => [checkName(name), toFlatValue(name, value)]),
  );
}

function checkName(name: string): string {
  if (name.length > 0 && name.length <= LIMITS.nameLength) return name;
  throw new TypeError(`saveCheckpoint: field names have 1 to ${LIMITS.nameLength} characters.`);
}

function toFlatValue(name: string, value: unknown): string | number | boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (typeof value !== "string") {
    throw new TypeError(
      `saveCheckpoint: "${name}" must be text, a finite number, a boolean or a valid Date.`,
    );
  }
  if (value.length <= LIMITS.textLength) return value;
  throw new TypeError(`saveCheckpoint: "${name}" is longer than ${LIMITS.textLength} characters.`);
}
