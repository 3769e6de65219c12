import { readFileSync } from "node:fs";
import { join } from "node:path";

const LINES_BEFORE = 2;
const LINES_AFTER = 1;

/** The author's lines around a place; nothing for what has no place, or names a file that cannot be read. */
export function codeFrameOf(
  projectDir: string,
  { file, line }: { readonly file?: string | undefined; readonly line?: number | undefined },
): { readonly first: number; readonly lines: readonly string[] } | undefined {
  const text = file === undefined ? undefined : readText(join(projectDir, file));
  if (text === undefined || line === undefined) return undefined;
  const lines = text.split("\n");
  const first = Math.max(1, line - LINES_BEFORE);
  const last = Math.min(lines.length, line + LINES_AFTER);
  return { first, lines: lines.slice(first - 1, last).map((each) => each.replaceAll("\t", " ")) };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
