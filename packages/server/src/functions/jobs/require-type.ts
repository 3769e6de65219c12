import { AppError } from "#foundation";
import type { FunctionType } from "../deployed-function.ts";
import type { Compiled } from "./compiling/compile-source.ts";

/** What the text was taken for has to be what it defines. */
export function requireType({ description }: Compiled, wanted: FunctionType): void {
  if (description.type === wanted) return;
  throw new AppError(
    "compilation_error",
    `The code defines a function of type ${description.type}, not ${wanted}.`,
  );
}
