import { parseSync } from "oxc-parser";
import type { Tree } from "../checks/tree.ts";

interface MeasuredFunction {
  readonly path: string;
  readonly name: string;
  readonly lines: number;
}

/** Functions of two lines or more, from their first line to their last; those within another count as well. */
export function measureFunctions(files: Tree): MeasuredFunction[] {
  return [...files].flatMap(([path, text]) => {
    const found: MeasuredFunction[] = [];
    const visit = (node: unknown, name: string): void => {
      if (typeof node !== "object" || node === null) return;
      const { type, start, end, id, key } = Object(node);
      const named: string = id?.name ?? key?.name ?? name;
      if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type)) {
        const lines = text.slice(start, end).split("\n").length;
        if (lines > 1) found.push({ path, name: named, lines });
      }
      for (const child of Object.values(node)) visit(child, named);
    };
    visit(parseSync(path, text).program, "");
    return found;
  });
}
