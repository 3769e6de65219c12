import type * as z from "zod";
import { type FieldErrorCode, type FieldFault, invalidFields } from "./field-faults.ts";
import { wordIssue, wordTextIssue } from "./word-issue.ts";

/**
 * The values as the schema gives them back; throws the code with every fault, in words for the caller.
 * `within` is where the values stand, when they are a part of what was sent.
 */
export function parseValues<S extends z.ZodType>(
  schema: S,
  values: unknown,
  { code, within = [] }: { code: FieldErrorCode; within?: readonly string[] },
): z.output<S> {
  const result = schema.safeParse(values, {
    error: code === "invalid_body" ? wordIssue : wordTextIssue,
  });
  if (result.success) return result.data;
  const faults = result.error.issues.map(toFault);
  throw invalidFields(
    code,
    faults.map((fault) => ({ ...fault, path: [...within, ...fault.path] })),
  );
}

/** Where only one alternative of a union is meant, its own fault is the one to tell. */
function toFault(issue: z.core.$ZodIssue): FieldFault {
  const path = issue.path.map(String);
  if (issue.code === "invalid_union") {
    const meant = issue.errors.filter(isMeant);
    const inner = meant.length === 1 ? meant[0]?.[0] : undefined;
    if (inner !== undefined) {
      const fault = toFault(inner);
      return { ...fault, path: [...path, ...fault.path] };
    }
  }
  return { code: issue.code, message: issue.message, path };
}

/** An alternative of another type is not what the caller had in mind. */
function isMeant(issues: readonly z.core.$ZodIssue[]): boolean {
  return !issues.some(
    ({ code, path }) => path.length === 0 && (code === "invalid_type" || code === "invalid_value"),
  );
}
