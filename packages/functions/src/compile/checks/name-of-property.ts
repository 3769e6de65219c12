import {
  isIdentifier,
  isMethodDeclaration,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isStringLiteral,
  type ObjectLiteralElementLike,
} from "typescript/unstable/ast";

/** Name of an object literal's member; undefined for spreads and computed names. */
export function nameOfProperty(property: ObjectLiteralElementLike): string | undefined {
  const isNamed =
    isPropertyAssignment(property) ||
    isMethodDeclaration(property) ||
    isShorthandPropertyAssignment(property);
  if (!isNamed) return undefined;
  const { name } = property;
  return isIdentifier(name) || isStringLiteral(name) ? name.text : undefined;
}
