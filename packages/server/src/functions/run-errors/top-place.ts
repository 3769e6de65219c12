const MAX_CHARACTERS = 200;

/** File and line of the first frame of a stack, without the column; empty where it has none. */
export function topPlace(stack: string | undefined): string {
  for (const line of stack?.split("\n") ?? []) {
    const frame = /^\s*at (?:.*\()?([^()\s]+):(\d+):\d+\)?$/.exec(line);
    const [, file = "", lineNumber = ""] = frame ?? [];
    if (file !== "" && !file.startsWith("node:"))
      return `${file}:${lineNumber}`.slice(-MAX_CHARACTERS);
  }
  return "";
}
