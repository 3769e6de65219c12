import { parseSync } from "oxc-parser";
import type { Tree } from "./tree.ts";

type Statement = ReturnType<typeof parseSync>["program"]["body"][number];

interface Declared {
  readonly name: string;
  readonly start: number;
  /** As it is written, without a type that it is cast to. */
  readonly value: { readonly type: string; readonly text: string } | undefined;
  readonly isVariable: boolean;
  /** By its type. */
  readonly isReadonly: boolean;
}

/** Classes whose values nothing changes once a module is loaded, or that hold nothing between two calls. */
const stateless =
  /^new (?:URL|RegExp|Date|Error|TextEncoder|TextDecoder|AsyncLocalStorage|AsyncResource|BlockList|Intl\.\w+)\b|^new Uint8Array\((?:\[\d+\])?\)/;
const changing = new Set(
  "add clear copyWithin delete fill pop push reverse set shift sort splice unshift".split(" "),
);

/** Whether every server of the process would share what the declaration changes. */
function isState(declared: Declared, isChanged: (name: string) => boolean): boolean {
  const { name, value, isVariable, isReadonly } = declared;
  if (isVariable) return true;
  if (value === undefined) return false;
  const isCollection = /^new (?:Map|Set)\b/.test(value.text);
  if (value.type === "NewExpression" && !isCollection) return !stateless.test(value.text);
  // Somebody fills it, here or elsewhere.
  if (isCollection && value.text.endsWith("()") && !isReadonly) return true;
  const isLiteral = value.type === "ArrayExpression" || value.type === "ObjectExpression";
  return (isCollection || isLiteral) && isChanged(name);
}

/** Names whose values are changed within functions: by a method, or by setting a part. */
function listChanged(program: unknown): Set<string> {
  const changed = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, callee, left, argument } = Object(node);
    if (type === "CallExpression" && changing.has(callee.property?.name)) {
      changed.add(callee.object.name);
    }
    const target = type === "AssignmentExpression" ? left : argument;
    const isSet = type === "AssignmentExpression" || type === "UpdateExpression";
    if (isSet && target.type === "MemberExpression") changed.add(target.object.name);
    for (const child of Object.values(node)) visit(child);
  };
  visit(program);
  return changed;
}

const REASON = /^(?:\/\/|\s?\*|\/\*\*) ?(?:Process-wide|Kept with its key): \S/;

/**
 * What a server keeps in memory is declared by `serverState`. What belongs to the process says why in the comment
 * above it: `Process-wide: …`; a weak map whose key is an object of one server, or a value that the rest is made of:
 * `Kept with its key: …`.
 */
export function findModuleState(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => isRead(path))
    .flatMap(([path, text]) => {
      const lines = text.split("\n");
      const { program } = parseSync(path, text);
      let changed: Set<string> | undefined;
      const isChanged = (name: string) => {
        if (!text.includes(`${name}.`) && !text.includes(`${name}[`)) return false;
        changed ??= listChanged(program);
        return changed.has(name);
      };
      return listDeclared(program.body, text)
        .filter((declared) => isState(declared, isChanged))
        .map(({ start }) => text.slice(0, start).split("\n").length)
        .filter((line) => !hasReason(lines, line))
        .map((line) => `${path}:${line}: state of a module; declare it by serverState`);
    });
}

function listDeclared(body: readonly Statement[], text: string): Declared[] {
  return body.flatMap((statement) => {
    const found = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (found?.type !== "VariableDeclaration") return [];
    return found.declarations.flatMap(({ id, init, start }) => {
      if (id.type !== "Identifier") return [];
      let value = init;
      while (value?.type === "TSAsExpression" || value?.type === "TSSatisfiesExpression") {
        value = value.expression;
      }
      const written = value && { type: value.type, text: text.slice(value.start, value.end) };
      const isVariable = found.kind === "let" || found.kind === "var";
      const isReadonly = text.startsWith(": Readonly", id.typeAnnotation?.start ?? text.length);
      return [{ name: id.name, start, value: written ?? undefined, isVariable, isReadonly }];
    });
  });
}

/** In the comment that ends on the line above; lines are counted from 1. */
function hasReason(lines: readonly string[], line: number): boolean {
  for (let above = line - 2; /^ ?(?:\/\/|\/?\*)/.test(lines[above] ?? ""); above -= 1) {
    if (REASON.test(lines[above] ?? "")) return true;
  }
  return false;
}

function isRead(path: string): boolean {
  if (!/^packages\/(?:server|catalogue)\/src\/.*\.ts$/.test(path) || path.endsWith(".test.ts")) {
    return false;
  }
  return !/\/(?:testing|escapes)\/|\/test-[a-z-]+\.ts$/.test(path);
}
