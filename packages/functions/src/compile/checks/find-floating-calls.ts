import {
  type Expression,
  isArrowFunction,
  isAsExpression,
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isFunctionExpression,
  isNonNullExpression,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isSatisfiesExpression,
  isVoidExpression,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import type { Diagnostic } from "../diagnostic.ts";
import { type BoundCall, type BoundFile, diagnosticAt } from "./program.ts";

/** Calls of svc whose promise nobody waits for: the run would end, or fail, before they are done. */
export function findFloatingCalls(bound: BoundFile): Diagnostic[] {
  return bound.calls
    .filter((call) => call.origin === "svc")
    .flatMap((call) => explain(bound, call));
}

function explain(bound: BoundFile, call: BoundCall): Diagnostic[] {
  const name = `svc.${call.name}`;
  if (call.name === "paginate" && isDropped(call.node)) {
    return [
      diagnosticAt(
        bound,
        call.node,
        `${name} does nothing by itself: for await (const page of ${name}(…))`,
      ),
    ];
  }
  if (!call.isPromise) return [];
  if (isDropped(call.node)) {
    return [diagnosticAt(bound, call.node, `${name} is not awaited: write \`await ${name}(…)\``)];
  }
  const callback = findDroppedCallback(call.node);
  if (callback === undefined) return [];
  const message = `${name} is not awaited: forEach drops what its callback returns; use \`for (const item of items)\` or \`await Promise.all(items.map(…))\``;
  return [diagnosticAt(bound, call.node, message)];
}

/** Whether a value goes nowhere: it is a statement, or a part of one that passes it on to nothing. */
function isDropped(node: Node): boolean {
  const { parent } = node;
  if (isExpressionStatement(parent) || isVoidExpression(parent)) return true;
  if (isBinaryExpression(parent)) {
    const operator = parent.operatorToken.kind;
    if (operator === SyntaxKind.CommaToken) return parent.left === node || isDropped(parent);
    const isChoice =
      operator === SyntaxKind.AmpersandAmpersandToken ||
      operator === SyntaxKind.BarBarToken ||
      operator === SyntaxKind.QuestionQuestionToken;
    return isChoice && parent.right === node && isDropped(parent);
  }
  if (isConditionalExpression(parent)) return parent.condition !== node && isDropped(parent);
  const isTransparent =
    isParenthesizedExpression(parent) ||
    isAsExpression(parent) ||
    isSatisfiesExpression(parent) ||
    isNonNullExpression(parent);
  return isTransparent && isDropped(parent);
}

/** The callback of forEach around a call, whether it returns the call's promise or awaits it. */
function findDroppedCallback(node: Node): Expression | undefined {
  for (let current = node.parent; current !== undefined; current = current.parent) {
    if (!isArrowFunction(current) && !isFunctionExpression(current)) continue;
    const outer = current.parent;
    const isForEach =
      isCallExpression(outer) &&
      outer.arguments[0] === current &&
      isPropertyAccessExpression(outer.expression) &&
      outer.expression.name.text === "forEach";
    return isForEach ? current : undefined;
  }
  return undefined;
}
