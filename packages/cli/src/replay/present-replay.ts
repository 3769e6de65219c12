import { styleText } from "node:util";
import type { TapeDifference } from "@jackfield/functions/test-kit";
import type { TapeReplay } from "./replay-tape.ts";

const SHOWN = 20;

/** How a run differs from its tape, for people; `--json` has all of it. */
export function presentReplay(replay: TapeReplay): string[] {
  const { difference, stopped, calls, isSame } = replay;
  const lines = presentDifference(difference);
  if (stopped !== undefined) lines.push(styled("yellow", `Stopped: ${stopped}.`));
  const counted = `${calls} call${calls === 1 ? "" : "s"}`;
  if (!isSame) return [...lines, styled("red", `The run differs from its tape (${counted}).`)];
  const end = stopped === undefined ? "" : " up to there";
  return [...lines, styled("green", `The run is the same as on its tape${end} (${counted}).`)];
}

/** One line for each difference. */
export function presentDifference(difference: TapeDifference): string[] {
  const { calls, saves, checkpoints, metadata, logs, outcome } = difference;
  return [
    ...shorten(calls.added.map((call) => styled("green", `+ call ${call}`))),
    ...shorten(calls.missing.map((call) => styled("red", `- call ${call}`))),
    ...shorten(
      calls.changed.flatMap(({ call, differences }) => [
        styled("yellow", `~ call ${call}`),
        ...differences.map((each) => `    ${each}`),
      ]),
    ),
    ...Object.entries(saves).flatMap(([what, { added, missing, changed }]) => [
      ...shorten(added.map((id) => styled("green", `+ ${what} ${id}`))),
      ...shorten(missing.map((id) => styled("red", `- ${what} ${id}`))),
      ...shorten(
        changed.flatMap(({ id, differences }) => [
          styled("yellow", `~ ${what} ${id}`),
          ...differences.map((each) => `    ${each}`),
        ]),
      ),
    ]),
    ...checkpoints.map((each) => `~ checkpoint ${each}`),
    ...metadata.map((each) => `~ metadata ${each}`),
    ...logs.map((each) => `~ log ${each}`),
    ...outcome.map((each) => `~ ${each}`),
  ];
}

function shorten(lines: readonly string[]): string[] {
  if (lines.length <= SHOWN) return [...lines];
  return [...lines.slice(0, SHOWN), `  and ${lines.length - SHOWN} more`];
}

function styled(colour: "green" | "red" | "yellow", text: string): string {
  return styleText(colour, text, { stream: process.stdout });
}
