import type { Diagnostic } from "../diagnostic.ts";
import { findFloatingCalls } from "./find-floating-calls.ts";
import { findConsoleCalls, findForbiddenCode } from "./find-forbidden-code.ts";
import { findOrderMistakes } from "./find-order-mistakes.ts";
import type { BoundFile } from "./program.ts";

/** Mistakes that types cannot tell, found by what each name is bound to. */
export function findMistakes(bound: readonly BoundFile[]): {
  errors: Diagnostic[];
  warnings: Diagnostic[];
} {
  return {
    errors: bound.flatMap((file) => [
      ...findForbiddenCode(file),
      ...findFloatingCalls(file),
      ...findOrderMistakes(file),
    ]),
    warnings: bound.flatMap(findConsoleCalls),
  };
}
