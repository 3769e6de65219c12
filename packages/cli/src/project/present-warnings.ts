import { styleText } from "node:util";
import type { Diagnostic } from "@jackfield/functions/compile";

/** So many places of one warning are named; the rest is counted. */
const NAMED = 3;

/** Prints what is odd about a project without being an error, on standard error; equal words once. */
export function presentWarnings(warnings: readonly Diagnostic[]): void {
  const label = styleText("yellow", "warning:", { stream: process.stderr });
  for (const line of toLines(warnings)) console.error(`${label} ${line}`);
}

export function toLines(warnings: readonly Diagnostic[]): string[] {
  return [...Map.groupBy(warnings, ({ message }) => message)].map(([message, equal]) => {
    const places = equal.map(toPlace).filter((place) => place !== "");
    const [place] = places;
    if (places.length < 2) return place === undefined ? message : `${place}: ${message}`;
    const rest = places.length - NAMED;
    const more = rest > 0 ? ` and ${rest} more` : "";
    return `${message} (${places.length} times: ${places.slice(0, NAMED).join(", ")}${more})`;
  });
}

function toPlace({ file, line, column }: Diagnostic): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}
