import * as z from "zod";
import { listOf } from "../bounded.ts";
import { functionLimits } from "../functions/function-limits.ts";

export const fieldTypes = ["string", "number", "boolean", "object", "array", "null"] as const;

/** Of some records of a write: how many values each field has of each type; never a value. */
export const recordFields = listOf(
  z.object({
    /** JSON pointer, `*` for a position in a list; empty for the record itself. */
    pointer: z
      .string()
      .max(functionLimits.driftPointer.value)
      .regex(/^(\/[\x21-\x7e]*)?$/),
    type: z.enum(fieldTypes),
    count: z.number().int().min(1).max(1_000_000),
  }),
  2 * functionLimits.driftFields.value,
);
