import { readFileSync } from "node:fs";
import { join } from "node:path";
import { styleText } from "node:util";
import type { Diagnostic } from "@jackfield/functions/compile";

const LINES_BEFORE = 2;
const LINES_AFTER = 1;

/** The author's lines around a problem, with a mark below its column; nothing for a problem without a place. */
export function drawCodeFrame(
  projectDir: string,
  { file, line, column }: Diagnostic,
): string | undefined {
  const text = file === undefined ? undefined : readText(join(projectDir, file));
  if (text === undefined || line === undefined) return undefined;
  const lines = text.split("\n");
  const first = Math.max(1, line - LINES_BEFORE);
  const last = Math.min(lines.length, line + LINES_AFTER);
  const width = String(last).length;
  const frame: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const isHere = number === line;
    const source = (lines[number - 1] ?? "").replaceAll("\t", " ");
    const row = `${isHere ? ">" : " "} ${String(number).padStart(width)} | ${source}`.trimEnd();
    frame.push(isHere ? row : styleText("dim", row, { stream: process.stderr }));
    if (isHere && column !== undefined) {
      const mark = styleText("red", "^", { stream: process.stderr });
      frame.push(`  ${" ".repeat(width)} | ${" ".repeat(column - 1)}${mark}`);
    }
  }
  return frame.join("\n");
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
