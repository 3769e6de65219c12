import * as z from "zod";
import { listOf } from "../bounded.ts";
import { functionLimits } from "../functions/function-limits.ts";

const printable = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x20-\x7e]*$/);

/** Why records do not match their schema: where, what, and of which type; never a value. */
export const quarantineReasons = listOf(
  z.object({
    pointer: printable(functionLimits.quarantinePointer.value),
    code: printable(50).min(1),
    expected: printable(50),
    received: printable(20),
  }),
  functionLimits.quarantineReasons.value,
);
