import { parseSync } from "oxc-parser";

/** One change of a source file that a test should notice. */
export interface Mutant {
  readonly path: string;
  readonly line: number;
  /** What it puts in place of what, on one line. */
  readonly change: string;
  readonly text: string;
}

type Node = Readonly<Record<string, unknown>> & { readonly start: number; readonly end: number };

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const operators = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["===", "!=="],
  ["!==", "==="],
  ["+", "-"],
  ["*", "+"],
  ["&&", "||"],
  ["||", "&&"],
]);

/** Every mutant of a file: operators, limits, conditions, calls that are dropped, and conditions of SQL. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const edits: Edit[] = [];
  walk(parseSync(path, text).program, (node) => edits.push(...editsOf(node, text)));
  return edits.map(({ start, end, text: replacement }) => ({
    path,
    line: text.slice(0, start).split("\n").length,
    change: `${onOneLine(text.slice(start, end))} -> ${onOneLine(replacement)}`,
    text: text.slice(0, start) + replacement + text.slice(end),
  }));
}

function editsOf(node: Node, source: string): Edit[] {
  const { start, end } = node;
  const own = source.slice(start, end);
  switch (node["type"]) {
    case "BinaryExpression":
    case "LogicalExpression":
      return replaceOperator(node, source);
    case "Literal":
      if (typeof node["value"] === "number") {
        const text = node["value"] < 100 ? `(${own} + 1)` : `(${own} * 2)`;
        return [{ start, end, text }];
      }
      if (typeof node["value"] === "boolean") return [{ start, end, text: String(!node["value"]) }];
      return [];
    case "IfStatement":
    case "ConditionalExpression":
      return [true, false].map((value) => ({ ...spanOf(node["test"]), text: String(value) }));
    case "ExpressionStatement":
      return /^(?:await )?[\w.?#[\]]+\(/.test(own) ? [{ start, end, text: ";" }] : [];
    case "Property":
      return /^(?:signal|\w*[tT]imeout\w*)\b/.test(own) ? [{ start, end, text: "...{}" }] : [];
    case "TemplateLiteral":
      return /\b(?:select|insert|update|delete|where)\b/.test(own) ? editsOfSql(own, start) : [];
    default:
      return [];
  }
}

function replaceOperator(node: Node, source: string): Edit[] {
  const replacement = operators.get(String(node["operator"]));
  if (replacement === undefined) return [];
  const [left, right] = [spanOf(node["left"]), spanOf(node["right"])];
  const between = source.slice(left.end, right.start);
  const text = between.replace(String(node["operator"]), () => replacement);
  return [{ start: left.end, end: right.start, text }];
}

/** Its comparisons, and conditions that no longer hold anything back. */
function editsOfSql(sql: string, offset: number): Edit[] {
  const edits: Edit[] = [];
  for (const { index, 0: found } of sql.matchAll(/(?<= )(?:<=|>=|<|>)(?= )/g)) {
    const text = found.endsWith("=") ? found.slice(0, 1) : `${found}=`;
    edits.push({ start: offset + index, end: offset + index + found.length, text });
  }
  for (const found of sql.matchAll(/(?<=\b(?:and|where) )[\w.]+ = \$\{[^{}]+\}(?!::)/g)) {
    const text = `(true or ${found[0]})`;
    edits.push({
      start: offset + found.index,
      end: offset + found.index + found[0].length,
      text,
    });
  }
  return edits;
}

function spanOf(node: unknown): { start: number; end: number } {
  const { start, end } = node as Node;
  return { start, end };
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (isNode(value)) {
    // A type is gone when the code runs.
    if (/^(?:TS(?!As|NonNull|Satisfies)|ImportDeclaration)/.test(String(value["type"]))) return;
    visit(value);
  }
  for (const child of Object.values(value)) walk(child, visit);
}

function isNode(value: object): value is Node {
  return "type" in value && "start" in value && "end" in value;
}

function onOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 70 ? `${line.slice(0, 67)}...` : line;
}
