import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DevCall, DevCount, DevFault, DevRun, DevRunSummary } from "@jackfield/contract";
import type { RunResult } from "@jackfield/functions/test-kit";
import type { DryRunReport } from "../dryrun/dry-run.ts";
import { codeFrameOf } from "../project/code-frame.ts";

// A page shows so much; what a run did is whole in its recording and with `jackfield dryrun --json`.
const SHOWN_RECORDS = 100;
const SHOWN_LINES = 1000;
const SHOWN_CALLS = 200;
const SHOWN_SAVES = 500;
const SHOWN_CHARACTERS = 20_000;

/** What the page shows of a run. */
export function presentDevRun(
  projectDir: string,
  summary: DevRunSummary,
  {
    report,
    input,
    kept,
  }: {
    readonly report: DryRunReport;
    readonly input: unknown;
    readonly kept: RunResult | undefined;
  },
): DevRun {
  const { recorded, times, ranMs, logs, notes } = report;
  const firstLine = Math.max(logs.length - SHOWN_LINES, 0);
  return {
    ...summary,
    ...(input !== undefined && { input }),
    ...("error" in report.end && { error: presentError(projectDir, report.end.error) }),
    result: cutRecords(recorded.result),
    ...(kept !== undefined && { kept: cutRecords(kept) }),
    counts: countChanges(recorded.result),
    ranMs,
    log: logs
      .slice(firstLine)
      .map((line, place) => ({ ...line, atMs: times.logs[firstLine + place] ?? 0 })),
    logCount: logs.length,
    calls: recorded.calls.slice(0, SHOWN_CALLS).map((call, place) => {
      const { answer, failure } = call;
      const timing = times.calls[place] ?? { startedMs: 0, tookMs: 0 };
      return {
        call: call.call,
        status: answer?.status ?? failure?.status,
        isGood: failure === undefined && (answer?.status ?? 200) < 400,
        ...timing,
        asked: cut({ params: call.params, body: call.body }),
        answered: cut(failure ?? answer),
      } satisfies DevCall;
    }),
    callCount: recorded.calls.length,
    saves: times.saves.slice(0, SHOWN_SAVES),
    saveCount: times.saves.length,
    notes,
  };
}

type RunError = Extract<DryRunReport["end"], { readonly error: unknown }>["error"];

function presentError(projectDir: string, error: RunError): NonNullable<DevRun["error"]> {
  const { type, message, stack, upstream } = error;
  const place = findPlace(projectDir, stack ?? "");
  return {
    ...{ type, message },
    ...place,
    ...(place !== undefined && { frame: codeFrameOf(projectDir, place) }),
    ...(upstream !== undefined && { upstream: cut(upstream) }),
  };
}

/** The first position of a stack that is in one of the project's own files. */
function findPlace(
  projectDir: string,
  stack: string,
): Pick<DevFault, "file" | "line" | "column"> | undefined {
  for (const row of stack.split("\n")) {
    const match = /:(\d{1,10}):(\d{1,10})\)?$/.exec(row);
    if (match === null || !/^\s*at /.test(row)) continue;
    const text = row.slice(0, match.index);
    const file = text.slice(Math.max(text.lastIndexOf(" "), text.lastIndexOf("(")) + 1);
    const isOwn = !file.includes("node_modules") && existsSync(join(projectDir, file));
    if (isOwn) return { file, line: Number(match[1]), column: Number(match[2]) };
  }
  return undefined;
}

function countChanges({ records = {} }: RunResult): DevCount[] {
  return Object.entries(records).map(([model, { saved, updated, deleted }]) => ({
    model,
    saved: saved.length,
    updated: updated.length,
    deleted: deleted.length,
  }));
}

function cutRecords(result: RunResult): unknown {
  const { records, ...rest } = result;
  if (records === undefined) return rest;
  const shown = Object.entries(records).map(([model, { saved, updated, deleted }]) => [
    model,
    {
      saved: saved.slice(0, SHOWN_RECORDS),
      updated: updated.slice(0, SHOWN_RECORDS),
      deleted: deleted.slice(0, SHOWN_RECORDS),
    },
  ]);
  return { ...rest, records: Object.fromEntries(shown) };
}

/** A long value as the beginning of its text. */
function cut(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "";
  return text.length <= SHOWN_CHARACTERS ? value : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
