import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isSpreadAssignment,
  isStringLiteral,
  SyntaxKind,
} from "typescript/unstable/ast";
import type { Diagnostic } from "../diagnostic.ts";
import { nameOfProperty } from "./name-of-property.ts";
import { type BoundCall, type BoundFile, diagnosticAt } from "./program.ts";

/** What the runtime refuses, found while it is written. */
export function findForbiddenCode(bound: BoundFile): Diagnostic[] {
  return bound.calls.flatMap((call) => {
    const message = explain(call);
    return message === undefined ? [] : [diagnosticAt(bound, call.node, message)];
  });
}

/** Odd, but not wrong: console lines reach the log without their values' structure. */
export function findConsoleCalls(bound: BoundFile): Diagnostic[] {
  return bound.calls
    .filter(isConsoleCall)
    .map(({ node, name }) =>
      diagnosticAt(
        bound,
        node,
        `console.${name}: use \`await svc.log(…)\`, which keeps levels and values`,
      ),
    );
}

/** The global one, which a browser's or Node's library declares. */
function isConsoleCall({ node, declaredIn }: BoundCall): boolean {
  const callee = node.expression;
  if (!isPropertyAccessExpression(callee) || !isIdentifier(callee.expression)) return false;
  const isLibrary = (path: string) => /[\\/](lib\.dom|console)\.d\.ts$/.test(path);
  return callee.expression.text === "console" && declaredIn.some(isLibrary);
}

function explain(call: BoundCall): string | undefined {
  const { node } = call;
  if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
    const [specifier] = node.arguments;
    if (specifier !== undefined && isStringLiteral(specifier)) return undefined;
    return "import() of a computed name cannot work: a function is one bundle. Import what it needs by name at the top";
  }
  if (isGlobal(call, "eval") && isCallExpression(node)) {
    return "eval is not available to functions: code cannot be made from text";
  }
  if (isGlobal(call, "Function")) {
    return "new Function is not available to functions: code cannot be made from text";
  }
  if (isComputedRequire(call)) {
    return "require of a computed name cannot work: a function is one bundle. Import what it needs by name at the top";
  }
  return call.origin === "svc" ? explainRequest(call) : undefined;
}

function isGlobal({ node, declaredIn }: BoundCall, name: string): boolean {
  if (!isIdentifier(node.expression) || node.expression.text !== name) return false;
  // Declared nowhere, or by the language's own library: not by the author.
  return declaredIn.every((path) => /[\\/]lib\.[^\\/]*\.d\.ts$/.test(path));
}

function isComputedRequire({ node, declaredIn }: BoundCall): boolean {
  if (isNewExpression(node) || !isIdentifier(node.expression)) return false;
  if (node.expression.text !== "require") return false;
  if (!declaredIn.every((path) => path.includes("/@types/node/"))) return false;
  const [specifier] = node.arguments;
  return specifier === undefined || !isStringLiteral(specifier);
}

/** `retryOn` says which answers are worth another attempt; without `retries` there is none. */
function explainRequest({ node, name }: BoundCall): string | undefined {
  const [config] = node.arguments ?? [];
  if (config === undefined || !isObjectLiteralExpression(config)) return undefined;
  // A spread may bring `retries` along.
  if (config.properties.some((property) => isSpreadAssignment(property))) return undefined;
  const names = new Set(config.properties.map(nameOfProperty));
  if (!names.has("retryOn") || names.has("retries")) return undefined;
  return `svc.${name}: retryOn without retries has no effect; add for example \`retries: 3\``;
}
