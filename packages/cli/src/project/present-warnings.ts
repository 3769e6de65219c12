import { styleText } from "node:util";
import type { Diagnostic } from "@jackfield/functions/compile";

/** Prints what is odd about a project without being an error, on standard error. */
export function presentWarnings(warnings: readonly Diagnostic[]): void {
  const label = styleText("yellow", "warning:", { stream: process.stderr });
  for (const { file, line, column, message } of warnings) {
    const place = [file, line, column].filter((part) => part !== undefined).join(":");
    console.error(`${label} ${place === "" ? "" : `${place}: `}${message}`);
  }
}
