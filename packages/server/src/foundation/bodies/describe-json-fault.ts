/** Longer bodies are not searched: each step reads them once more. */
const SEARCHED_CHARACTERS = 65_536;

/** Where JSON breaks off or goes wrong, for its author: never the text itself, which may be a secret. */
export function describeJsonFault(text: string): string {
  if (!/\S/.test(text)) return "The body is empty; send JSON.";
  if (text.length > SEARCHED_CHARACTERS) return describeLongFault(text);
  if (isJson(text)) return PROTO_FAULT;
  const at = findFault(text);
  if (at >= text.length) return "The body is not valid JSON: it ends too early.";
  const before = text.slice(0, at).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return `The body is not valid JSON: it goes wrong at line ${before.length}, column ${column}.`;
}

/** Where the parser itself says it, which it does for most faults. */
function describeLongFault(text: string): string {
  try {
    JSON.parse(text);
    return PROTO_FAULT;
  } catch (error) {
    const [, position] =
      /at position (\d+)/.exec(error instanceof Error ? error.message : "") ?? [];
    const place = position === undefined ? "" : `: it goes wrong at character ${position}`;
    return `The body is not valid JSON${place}.`;
  }
}

export const PROTO_FAULT = "The body has a key `__proto__`, which no value may have; rename it.";

/** Such a text is refused for a name in it. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Length of the longest beginning that some JSON text has; found by halving. */
function findFault(text: string): number {
  let fits = 0;
  let fails = text.length + 1;
  while (fails - fits > 1) {
    const middle = Math.floor((fits + fails) / 2);
    if (canContinue(text.slice(0, middle))) fits = middle;
    else fails = middle;
  }
  return fits;
}

// The parser tells a text that ends too early from one that goes wrong: the former at its very end.
function canContinue(start: string): boolean {
  try {
    JSON.parse(start);
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    if (/^(Unexpected end|Unterminated string)/.test(message)) return true;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return position !== undefined && Number(position) >= start.length;
  }
}
