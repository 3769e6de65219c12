import { styleText } from "node:util";
import type { LogLine, ModelChanges } from "@jackfield/functions/test-kit";
import type { DryRunReport } from "./dry-run.ts";

const SHOWN_RECORDS = 10;
const colours = { debug: "dim", info: "cyan", warn: "yellow", error: "red" } as const;

/** One line of a function's log, for standard error. */
export function presentLog({ level, message, meta }: LogLine): string {
  const label = styleText(colours[level], level.padEnd(5), { stream: process.stderr });
  const details = meta === undefined ? "" : ` ${JSON.stringify(meta)}`;
  return `${label} ${message}${details}`;
}

/** What the run did, for people; `--json` has all of it. */
export function presentRun(report: DryRunReport): string[] {
  const { end, records, checkpoint, metadata, notes, calls } = report;
  const lines = Object.entries(records).flatMap(([model, changes]) => presentModel(model, changes));
  if ("output" in end && end.output !== undefined) {
    lines.push("Output:", JSON.stringify(end.output, undefined, 2));
  }
  if (checkpoint !== undefined) {
    lines.push(
      checkpoint === null ? "Checkpoint cleared" : `Checkpoint: ${JSON.stringify(checkpoint)}`,
    );
  }
  if (metadata !== undefined) lines.push(`Metadata: ${JSON.stringify(metadata)}`);
  lines.push(...notes.map((note) => `Note: ${note}`));
  lines.push(
    `${calls} call${calls === 1 ? "" : "s"} by the function; those to the provider were real, the server kept nothing.`,
  );
  return lines;
}

/** Type, message and place of a failed run. */
export function presentRunError(report: DryRunReport): string | undefined {
  if (!("error" in report.end)) return undefined;
  const { type, message, stack, upstream, payload } = report.end.error;
  const frames = stack?.split("\n").filter((line) => /^\s+at |^at /.test(line)) ?? [];
  return [
    `The function failed: ${type}: ${message}`,
    ...frames.map((frame) => `  ${frame.trim()}`),
    ...(upstream !== undefined
      ? [`The provider answered ${upstream.status}: ${JSON.stringify(upstream.body)}`]
      : []),
    ...(payload !== undefined && stack === undefined
      ? [JSON.stringify(payload, undefined, 2)]
      : []),
    ...(type === "invalid_action_input"
      ? ["The platform refuses this input; to run with it all the same, add --no-validate."]
      : []),
  ].join("\n");
}

function presentModel(model: string, { saved, updated, deleted }: ModelChanges): string[] {
  const counts = [
    saved.length > 0 && `${saved.length} saved`,
    updated.length > 0 && `${updated.length} updated`,
    deleted.length > 0 && `${deleted.length} deleted`,
  ].filter((part) => part !== false);
  const shown = [...saved, ...updated].slice(0, SHOWN_RECORDS);
  const more = saved.length + updated.length - shown.length;
  return [
    `${model}: ${counts.join(", ") || "nothing"}`,
    ...shown.map((record) => `  ${JSON.stringify(record)}`),
    ...(more > 0 ? [`  … and ${more} more (--json shows all)`] : []),
    ...(deleted.length > 0 ? [`  deleted: ${deleted.slice(0, SHOWN_RECORDS).join(", ")}`] : []),
  ];
}
