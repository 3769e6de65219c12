import type { Result } from "@modelcontextprotocol/server";
import { cleanShownText } from "./clean-text.ts";

/** Says in `_meta` how many characters were taken out of a result. */
const REMOVED = "dev.jackfield/removed_characters";

/** Base64, and what goes back to the server as it is. */
const opaque: ReadonlySet<string> = new Set(["data", "blob", "requestState", "taskId"]);

/**
 * A result as a model may read it: without characters that nobody sees, in texts, values and their names. What the tool
 * did, and what is stored of it, is untouched.
 */
export function cleanResult(result: Result): Result {
  let removed = 0;
  const clean = (value: unknown, name = ""): unknown => {
    if (typeof value === "string") {
      if (opaque.has(name)) return value;
      const cleaned = cleanShownText(value);
      removed += cleaned.removed;
      return cleaned.text;
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => clean(each));
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [clean(key), clean(each, key)]),
    );
  };
  const { _meta: meta, ...shown } = result;
  const cleaned = clean(shown);
  if (removed === 0) return result;
  return { ...Object(cleaned), _meta: { ...meta, [REMOVED]: removed } };
}
