import type * as z from "zod";
import { type FieldErrorCode, type FieldFault, invalidFields, LISTED } from "./field-faults.ts";
import { wordIssue, wordTextIssue } from "./word-issue.ts";

/** With more values than these, validation stops at the first fault of each list and object. */
const FULLY_CHECKED = 1000;

// Twice as many as are reported: each alternative of a union words its own, and then one stands for them.
const WORDED = 2 * LISTED;

/**
 * The values as the schema gives them back; throws the code with the first faults, in words for the caller.
 * `within` is where the values stand, when they are a part of what was sent.
 */
export function parseValues<S extends z.ZodType>(
  schema: S,
  values: unknown,
  { code, within = [] }: { code: FieldErrorCode; within?: readonly string[] },
): z.output<S> {
  const word = code === "invalid_body" ? wordIssue : wordTextIssue;
  let worded = 0;
  // zod knows `abortEarly`, and does not say so in the type of what it takes.
  const context = {
    error: (issue: z.core.$ZodRawIssue) => {
      worded += 1;
      return worded > WORDED ? "is not valid" : word(issue);
    },
    abortEarly: hasMoreValues(values, FULLY_CHECKED),
  };
  const result = schema.safeParse(values, context);
  if (result.success) return result.data;
  const { issues } = result.error;
  const faults = issues.slice(0, LISTED).map((issue) => {
    const fault = toFault(issue);
    return { ...fault, path: [...within, ...fault.path] };
  });
  throw invalidFields(code, faults, { inAll: issues.length });
}

/** Whether more values than these stand in it, at any depth; looks at no more than that. */
function hasMoreValues(values: unknown, most: number): boolean {
  const open: unknown[] = [values];
  let seen = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    for (const name in next) {
      seen += 1;
      if (seen > most) return true;
      open.push(Reflect.get(next, name));
    }
  }
  return false;
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
