const LONGEST_DOCUMENT = 1024 * 1024;
/** Anything else may name a stored document that nobody here has read. */
const known: ReadonlySet<string> = new Set(["query", "variables", "operationName"]);

interface GraphqlRequest {
  readonly method: string;
  readonly query: readonly (readonly [string, string])[];
}

/** Whether a request of GraphQL only reads, as its body or its query has the document; in doubt it does not. */
export function isReadingDocument({ method, query }: GraphqlRequest, body: Uint8Array): boolean {
  if (/^get$/i.test(method) && body.byteLength === 0) {
    const named = query.map(([name]) => name);
    return named.every((name) => known.has(name)) && query.every(isReadingParameter);
  }
  if (body.byteLength > LONGEST_DOCUMENT || query.some(([name]) => known.has(name))) return false;
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(body).toString());
  } catch {
    return false;
  }
  const requests: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return requests.length > 0 && requests.every(isReadingRequest);
}

function isReadingParameter([name, value]: readonly [string, string]): boolean {
  return name !== "query" || isReadingText(value);
}

function isReadingRequest(request: unknown): boolean {
  if (typeof request !== "object" || request === null) return false;
  if (!Object.keys(request).every((name) => known.has(name))) return false;
  const text = "query" in request ? request.query : undefined;
  return typeof text === "string" && isReadingText(text);
}

/** A document that has the word outside of texts and comments counts as one that changes something. */
function isReadingText(text: string): boolean {
  const bare = withoutTexts(text);
  return bare !== undefined && !/\b(mutation|subscription)\b/.test(bare);
}

/** The document without its strings and comments; undefined where a string does not end, as no document has it. */
function withoutTexts(text: string): string | undefined {
  const kept: string[] = [];
  let at = 0;
  while (at < text.length) {
    const end = endOfText(text, at);
    if (end === undefined) return undefined;
    if (end === at) kept.push(text.charAt(at));
    else kept.push(" ");
    at = Math.max(end, at + 1);
  }
  return kept.join("");
}

/** Where the string or comment ends that begins here; the same place for any other character. */
function endOfText(text: string, at: number): number | undefined {
  if (text.charAt(at) === "#") {
    let end = at;
    while (end < text.length && text.charAt(end) !== "\n" && text.charAt(end) !== "\r") end += 1;
    return end;
  }
  if (text.charAt(at) !== '"') return at;
  const mark = text.startsWith('"""', at) ? '"""' : '"';
  let end = at + mark.length;
  while (end < text.length && !text.startsWith(mark, end)) {
    if (mark === '"' && text.charAt(end) === "\n") return undefined;
    // In a block only three quotes are escaped, and by one backslash.
    const isEscape = mark === '"' ? text.charAt(end) === "\\" : text.startsWith('\\"""', end);
    end += isEscape ? 1 + mark.length : 1;
  }
  return end + mark.length;
}
