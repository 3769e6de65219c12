import { CompileError } from "../diagnostic.ts";
import { describeDefinition, type FunctionDescription } from "./describe-definition.ts";

export type SentDescription =
  | { readonly description: FunctionDescription }
  | { readonly problems: readonly string[] };

/** Describes what a bundle has exported, inside the process that has evaluated it; never throws a CompileError. */
export function describeExports(
  exported: unknown,
  subject: { integrationId: string; functionName: string; code: string },
): SentDescription {
  const isObject = typeof exported === "object" && exported !== null && "default" in exported;
  const value = isObject ? exported.default : undefined;
  if (typeof value !== "object" || value === null || !("type" in value)) {
    return {
      problems: [
        "the default export must be the result of createSync, createAction or createOnEvent",
      ],
    };
  }
  try {
    return { description: describeDefinition(value, subject) };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return { problems: error.diagnostics.map(({ message }) => message) };
  }
}
