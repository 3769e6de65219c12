import * as z from "zod";
import { freeObject, listOf, tableOf } from "../bounded.ts";
import { functionLimits } from "../functions/function-limits.ts";

/** A question of a running action to the user of the agent that called it. */
export const question = z.object({
  /** Distinguishes the questions of a run. */
  key: z.string().regex(/^[\w.-]{1,64}$/),
  message: z.string().min(1).max(functionLimits.questionMessage.value),
  /** What the answer has: an object of simple fields. */
  schema: z.object({
    type: z.literal("object"),
    properties: tableOf(freeObject, {
      max: functionLimits.questionFields.value,
      nameLength: 100,
    }),
    required: listOf(z.string().max(100), functionLimits.questionFields.value).optional(),
  }),
});

export const answer = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .optional(),
});
