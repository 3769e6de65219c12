import { type Node, parseSync, Visitor } from "oxc-parser";
import { partsOf } from "./parts.ts";

/** A regular expression as a file has it. */
export interface FoundPattern {
  readonly path: string;
  /** As JavaScript prints it: `/source/flags`. */
  readonly pattern: string;
}

export interface PatternReading {
  readonly patterns: readonly FoundPattern[];
  /** What is put together of parts that nobody has described. */
  readonly problems: readonly string[];
}

const implied: ReadonlySet<string> = new Set(["match", "matchAll", "search"]);

/** Every regular expression of a file, read from its syntax tree. */
export function readPatterns(path: string, text: string): PatternReading {
  const patterns: FoundPattern[] = [];
  const problems: string[] = [];
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) return { patterns, problems: [`${path}: cannot be parsed`] };
  const constants = new Map<string, Node>();
  const add = (source: string, flags: string): void => {
    try {
      patterns.push({ path, pattern: String(new RegExp(source, flags)) });
    } catch {
      problems.push(`${path}: is no regular expression as the check reads it: ${source}`);
    }
  };
  const construct = (args: readonly Node[], start: number): void => {
    const [pattern, flags] = args;
    const missing: string[] = [];
    const source = pattern && toText(pattern, { path, text, constants, missing });
    const line = text.slice(0, start).split("\n").length;
    for (const part of missing) {
      problems.push(
        `${path}:${line}: say in scripts/checks/patterns/parts.ts what \`${part}\` stands for in a pattern`,
      );
    }
    if (source === undefined || missing.length > 0) return;
    // Flags that are computed make no difference to the time, but for `m` and `s`, which are written out.
    add(source, flags?.type === "Literal" && typeof flags.value === "string" ? flags.value : "");
  };
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && init !== null) constants.set(id.name, init);
    },
  }).visit(program);
  new Visitor({
    Literal(node) {
      if ("regex" in node) add(node.regex.pattern, node.regex.flags);
    },
    NewExpression({ callee, arguments: args, start }) {
      if (isRegExp(callee)) construct(args, start);
    },
    CallExpression({ callee, arguments: args, start }) {
      if (isRegExp(callee)) construct(args, start);
      const [first] = args;
      const name =
        callee.type === "MemberExpression" && callee.property.type === "Identifier"
          ? callee.property.name
          : "";
      const isText =
        first?.type === "TemplateLiteral" ||
        (first?.type === "Literal" && typeof first.value === "string");
      if (implied.has(name) && isText) construct(args, start);
    },
  }).visit(program);
  return { patterns, problems };
}

function isRegExp(callee: Node): boolean {
  return callee.type === "Identifier" && callee.name === "RegExp";
}

interface Scope {
  readonly path: string;
  readonly text: string;
  readonly constants: ReadonlyMap<string, Node>;
  /** Filled with the parts that nobody has described. */
  readonly missing: string[];
}

/** The text that an expression makes, of the constants of its file and of the parts that are described. */
function toText(node: Node, scope: Scope): string {
  const written = scope.text.slice(node.start, node.end);
  const described = partsOf(scope.path).get(written);
  if (described !== undefined) return described;
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "Literal" && "regex" in node) return node.regex.pattern;
  if (node.type === "TemplateLiteral") {
    return node.quasis
      .map(({ value }, index) => {
        const part = node.expressions[index];
        return (value.cooked ?? "") + (part === undefined ? "" : toText(part, scope));
      })
      .join("");
  }
  if (node.type === "BinaryExpression" && node.operator === "+") {
    return toText(node.left, scope) + toText(node.right, scope);
  }
  const constant = node.type === "Identifier" ? scope.constants.get(node.name) : undefined;
  const isFixed = constant?.type === "Literal" || constant?.type === "TemplateLiteral";
  if (constant !== undefined && isFixed) return toText(constant, scope);
  scope.missing.push(written);
  return "";
}
