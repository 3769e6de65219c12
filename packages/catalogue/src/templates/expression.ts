import { evaluateCall, isFunctionName } from "./expression-functions.ts";

/** Where a template finds values; `docs` of each are in `templateScopes`. */
export type TemplateScope = (typeof templateScopes)[number];

/** What placeholders may name: configuration, secrets, and what a request or its answer holds. */
export const templateScopes = [
  "config",
  "credentials",
  "integration",
  "client",
  "platform",
  // Of a token request: what is exchanged, the assertion signed for it, and the answers so far.
  "grant",
  "assertion",
  "token",
  "steps",
  // Of an `after_connect` request.
  "answer",
  // Of a call through the proxy: method, url, host, path, query, body, content_type.
  "request",
] as const;

/** A named value: a scope, and below it a field or a dotted path. */
export interface Reference {
  readonly scope: TemplateScope;
  readonly name: string;
}

/** `a ?? b`, `a ~ b`, a function's call, a name or a text. */
export type Expression =
  | { readonly kind: "reference"; readonly reference: Reference }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: "join"; readonly parts: readonly Expression[] }
  | { readonly kind: "first"; readonly choices: readonly Expression[] };

export class ExpressionError extends Error {
  override name = "ExpressionError";
}

type Token = readonly [kind: "name" | "text" | "sign", text: string];

const tokenPattern =
  /\s*(?:(?<name>[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)|"(?<text>[^"]*)"|(?<sign>\?\?|[~(),=]))/y;

/** Parses what is between `{{` and `}}`; throws ExpressionError. */
export function parseExpression(source: string): Expression {
  const tokens = new TokenReader(listTokens(source));
  const parsed = parseFirst(tokens);
  tokens.requireEnd();
  return parsed;
}

function listTokens(source: string): Token[] {
  const tokens: Token[] = [];
  const trimmed = source.trimEnd();
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < trimmed.length) {
    const at = tokenPattern.lastIndex;
    const groups = tokenPattern.exec(trimmed)?.groups;
    if (groups === undefined) throw new ExpressionError(`"${trimmed.slice(at)}" is not understood`);
    if (groups["name"] !== undefined) tokens.push(["name", groups["name"]]);
    else if (groups["text"] !== undefined) tokens.push(["text", groups["text"]]);
    else tokens.push(["sign", groups["sign"] ?? ""]);
  }
  return tokens;
}

/** Calls within calls that a placeholder may have; parsing and evaluating it is recursive. */
const MAX_DEPTH = 16;
/** Names, texts and signs of one placeholder. */
const MAX_TOKENS = 200;

class TokenReader {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    if (tokens.length > MAX_TOKENS) {
      throw new ExpressionError(`a placeholder has more than ${MAX_TOKENS} words and signs`);
    }
    this.#tokens = tokens;
  }

  /** Reads one level deeper; throws past the deepest. */
  nested<Result>(read: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new ExpressionError("calls are nested too deep");
    const result = read();
    this.#depth -= 1;
    return result;
  }

  read(): Token | undefined {
    const token = this.#tokens[this.#next];
    this.#next += 1;
    return token;
  }

  /** Whether this sign comes next; it is read if so. */
  takes(sign: string): boolean {
    const [kind, text] = this.#tokens[this.#next] ?? [];
    if (kind !== "sign" || text !== sign) return false;
    this.#next += 1;
    return true;
  }

  requireEnd(): void {
    const rest = this.#tokens[this.#next];
    if (rest !== undefined) throw new ExpressionError(`"${rest[1]}" is one word too many`);
  }
}

function parseFirst(tokens: TokenReader): Expression {
  const choices = [parseJoin(tokens)];
  while (tokens.takes("??")) choices.push(parseJoin(tokens));
  const [only] = choices;
  return choices.length === 1 && only !== undefined ? only : { kind: "first", choices };
}

function parseJoin(tokens: TokenReader): Expression {
  const parts = [parseAtom(tokens)];
  while (tokens.takes("~")) parts.push(parseAtom(tokens));
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: "join", parts };
}

function parseAtom(tokens: TokenReader): Expression {
  const [kind, text] = tokens.read() ?? ["sign", "an empty placeholder"];
  if (kind === "text") return { kind: "text", text };
  if (kind === "sign") throw new ExpressionError(`${text} is not a value`);
  if (tokens.takes("("))
    return {
      kind: "call",
      name: toFunctionName(text),
      args: tokens.nested(() => parseArgs(tokens)),
    };
  const [scope = "", ...path] = text.split(".");
  const known = templateScopes.find((name) => name === scope);
  const isWhole = path.length === 0 && known !== "assertion";
  if (known === undefined || isWhole) {
    throw new ExpressionError(
      `write placeholders as {{config.x}}, {{credentials.x}} or {{integration.x}}, not {{${text}}}`,
    );
  }
  return { kind: "reference", reference: { scope: known, name: path.join(".") } };
}

function toFunctionName(name: string): string {
  if (isFunctionName(name)) return name;
  throw new ExpressionError(`there is no function ${name}`);
}

function parseArgs(tokens: TokenReader): Expression[] {
  const args: Expression[] = [];
  if (tokens.takes(")")) return args;
  for (;;) {
    args.push(parseFirst(tokens));
    if (tokens.takes(")")) return args;
    if (!tokens.takes(",")) throw new ExpressionError("a function's call is not closed");
  }
}

export function listExpressionReferences(expression: Expression): Reference[] {
  switch (expression.kind) {
    case "reference":
      return [expression.reference];
    case "text":
      return [];
    case "call":
      return expression.args.flatMap(listExpressionReferences);
    case "join":
      return expression.parts.flatMap(listExpressionReferences);
    case "first":
      return expression.choices.flatMap(listExpressionReferences);
  }
}

/** The value, or the reference that has none. An empty value counts as none. */
export type Evaluation = { readonly value: string } | { readonly missing: Reference };

export function evaluateExpression(
  expression: Expression,
  find: (reference: Reference) => string | undefined,
  now: Date | undefined,
): Evaluation {
  switch (expression.kind) {
    case "reference": {
      const value = find(expression.reference);
      return value === undefined ? { missing: expression.reference } : { value };
    }
    case "text":
      return { value: expression.text };
    case "first": {
      const results = expression.choices.map((choice) => evaluateExpression(choice, find, now));
      return results.find((result) => "value" in result) ?? results[0] ?? { value: "" };
    }
    case "join":
      return evaluateAll(expression.parts, find, now, (texts) => texts.join(""));
    case "call":
      return evaluateAll(expression.args, find, now, (texts) =>
        evaluateCall(expression.name, texts, now),
      );
  }
}

function evaluateAll(
  expressions: readonly Expression[],
  find: (reference: Reference) => string | undefined,
  now: Date | undefined,
  combine: (texts: readonly string[]) => string,
): Evaluation {
  const results = expressions.map((expression) => evaluateExpression(expression, find, now));
  const texts: string[] = [];
  for (const result of results) {
    if ("missing" in result) return result;
    texts.push(result.value);
  }
  return { value: combine(texts) };
}
