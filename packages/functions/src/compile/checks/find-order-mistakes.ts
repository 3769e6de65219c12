import {
  type Expression,
  isArrowFunction,
  isAsExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPropertyAssignment,
  isSatisfiesExpression,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isVariableStatement,
  type Node,
  type ObjectLiteralElementLike,
  type SourceFile,
} from "typescript/unstable/ast";
import type { Diagnostic } from "../diagnostic.ts";
import { nameOfProperty } from "./name-of-property.ts";
import { type BoundCall, type BoundFile, diagnosticAt } from "./program.ts";

const BATCHES: ReadonlySet<string> = new Set([
  "batchSave",
  "batchUpdate",
  "batchDelete",
  "batchSend",
]);
const REQUESTS: ReadonlySet<string> = new Set([
  "proxy",
  "get",
  "post",
  "put",
  "patch",
  "delete",
  "paginate",
]);

/** What a sync's `exec` must do in a certain order, read in the order of the text. */
export function findOrderMistakes(bound: BoundFile): Diagnostic[] {
  return bound.calls
    .filter((call) => call.origin === "creator")
    .flatMap((creator) => checkDefinition(bound, creator));
}

function checkDefinition(bound: BoundFile, creator: BoundCall): Diagnostic[] {
  const argument = unwrap(creator.node.arguments?.[0]);
  if (argument === undefined || !isObjectLiteralExpression(argument)) {
    const message = `${creator.name} takes an object literal: write its fields between { and } here`;
    return [diagnosticAt(bound, creator.node, message)];
  }
  if (creator.name !== "createSync") return [];
  const exec = findBody(argument.properties, bound.file);
  if (exec === undefined) return [];
  const calls = bound.calls
    .filter((call) => call.origin === "svc" && isInside(call.node, exec))
    .toSorted(
      (first, second) => first.node.getStart(bound.file) - second.node.getStart(bound.file),
    );
  return [
    ...checkMerging(bound, calls),
    ...checkPrevious(bound, calls),
    ...checkTracking(bound, calls),
  ];
}

function checkMerging(bound: BoundFile, calls: readonly BoundCall[]): Diagnostic[] {
  const first = calls.findIndex(({ name = "" }) => BATCHES.has(name) || REQUESTS.has(name));
  return calls
    .filter(({ name }, index) => name === "setMergingStrategy" && first !== -1 && index > first)
    .map((call) => {
      const message = `svc.setMergingStrategy comes too late: call it before svc.${calls[first]?.name}`;
      return diagnosticAt(bound, call.node, message);
    });
}

function checkPrevious(bound: BoundFile, calls: readonly BoundCall[]): Diagnostic[] {
  const name = "deleteRecordsFromPreviousExecutions";
  const byModel = groupByModel(calls.filter((call) => call.name === name));
  const problems: Diagnostic[] = [];
  for (const [model, uses] of byModel) {
    for (const again of uses.slice(1)) {
      problems.push(
        diagnosticAt(
          bound,
          again.node,
          `svc.${name} is called twice for ${model}: once is enough, after the last batch`,
        ),
      );
    }
    const later = lastBatch(calls, model, uses[0]);
    if (later !== undefined) {
      problems.push(
        diagnosticAt(
          bound,
          later.node,
          `svc.${later.name} comes after svc.${name}: what it saves would be gone; save first`,
        ),
      );
    }
  }
  return problems;
}

function checkTracking(bound: BoundFile, calls: readonly BoundCall[]): Diagnostic[] {
  const starts = groupByModel(calls.filter(({ name }) => name === "trackDeletesStart"));
  const ends = groupByModel(calls.filter(({ name }) => name === "trackDeletesEnd"));
  const problems: Diagnostic[] = [];
  for (const model of new Set([...starts.keys(), ...ends.keys()])) {
    const [start, ...moreStarts] = starts.get(model) ?? [];
    const [end, ...moreEnds] = ends.get(model) ?? [];
    for (const again of [...moreStarts, ...moreEnds]) {
      problems.push(
        diagnosticAt(
          bound,
          again.node,
          `svc.${again.name} is called twice for ${model}: once is right`,
        ),
      );
    }
    if (start === undefined && end !== undefined) {
      problems.push(
        diagnosticAt(
          bound,
          end.node,
          `svc.trackDeletesEnd needs svc.trackDeletesStart(${model}) before the first batch`,
        ),
      );
    }
    if (end === undefined && start !== undefined) {
      problems.push(
        diagnosticAt(
          bound,
          start.node,
          `svc.trackDeletesStart needs svc.trackDeletesEnd(${model}) after the last batch`,
        ),
      );
    }
    if (start === undefined || end === undefined) continue;
    const early = calls.find((call) => isBatchOf(call, model));
    if (early !== undefined && calls.indexOf(early) < calls.indexOf(start)) {
      problems.push(
        diagnosticAt(
          bound,
          start.node,
          `svc.trackDeletesStart comes too late: call it before svc.${early.name}`,
        ),
      );
    }
    if (calls.indexOf(end) < calls.indexOf(start)) {
      problems.push(
        diagnosticAt(bound, end.node, "svc.trackDeletesEnd comes before svc.trackDeletesStart"),
      );
    }
    const late = lastBatch(calls, model, end);
    if (late !== undefined) {
      problems.push(
        diagnosticAt(
          bound,
          late.node,
          `svc.${late.name} comes after svc.trackDeletesEnd: what it saves would count as deleted; save first`,
        ),
      );
    }
  }
  return problems;
}

function lastBatch(
  calls: readonly BoundCall[],
  model: string,
  after: BoundCall | undefined,
): BoundCall | undefined {
  const last = calls.findLast((call) => isBatchOf(call, model));
  if (last === undefined || after === undefined) return undefined;
  return calls.indexOf(last) > calls.indexOf(after) ? last : undefined;
}

function isBatchOf(call: BoundCall, model: string): boolean {
  return BATCHES.has(call.name ?? "") && modelOf(call.node.arguments?.[1]) === model;
}

function groupByModel(calls: readonly BoundCall[]): Map<string, BoundCall[]> {
  return Map.groupBy(calls, (call) => modelOf(call.node.arguments?.[0]));
}

/** The literal as it is written; calls whose model is computed count as one. */
function modelOf(argument: Expression | undefined): string {
  const plain = unwrap(argument);
  return plain !== undefined && isStringLiteral(plain) ? `"${plain.text}"` : "a computed model";
}

function findBody(
  properties: readonly ObjectLiteralElementLike[],
  file: SourceFile,
): Node | undefined {
  for (const property of properties) {
    if (nameOfProperty(property) !== "exec") continue;
    if (isMethodDeclaration(property)) return property;
    if (isShorthandPropertyAssignment(property)) return findFunction("exec", file);
    if (!isPropertyAssignment(property)) continue;
    const value = unwrap(property.initializer);
    if (value === undefined) continue;
    if (isArrowFunction(value) || isFunctionExpression(value)) return value;
    if (isIdentifier(value)) return findFunction(value.text, file);
  }
  return undefined;
}

/** A function of the same file by its name: `exec` may be written apart from the definition. */
function findFunction(name: string, file: SourceFile): Node | undefined {
  for (const statement of file.statements) {
    if (isFunctionDeclaration(statement) && statement.name?.text === name) return statement;
    if (!isVariableStatement(statement)) continue;
    for (const declaration of statement.declarationList.declarations) {
      if (isIdentifier(declaration.name) && declaration.name.text === name) return declaration;
    }
  }
  return undefined;
}

function unwrap(node: Expression | undefined): Expression | undefined {
  if (node === undefined) return undefined;
  const isWrapped =
    isParenthesizedExpression(node) || isAsExpression(node) || isSatisfiesExpression(node);
  return isWrapped ? unwrap(node.expression) : node;
}

function isInside(node: Node, outer: Node): boolean {
  for (let current: Node | undefined = node; current !== undefined; current = current.parent) {
    if (current === outer) return true;
  }
  return false;
}
