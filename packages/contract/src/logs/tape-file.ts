import * as z from "zod";
import { jsonObject } from "../fields.ts";
import { tapeMoment } from "../runtime/runtime.ts";

/** The tape of a run: what reached it from outside, and what it did, without credentials. */

/** Limits of tapes; `docs/tapes.md` states them. */
export const tapeLimits = {
  /** Bytes of one body; of a longer one the tape has the length and a hash. */
  bodyBytes: 1024 * 1024,
  /** Bytes of one run's calls, bodies included. */
  runBytes: 16 * 1024 * 1024,
  calls: 20_000,
  /** Bytes of all runs that one process records at a time. */
  processBytes: 64 * 1024 * 1024,
  /** Bytes of an environment's tapes, as they are stored: the oldest go first. */
  environmentBytes: 256 * 1024 * 1024,
  /** Number of an environment's tapes, likewise. */
  environmentTapes: 10_000,
  retentionDays: 7,
  /** How long a rule lasts unless it says otherwise, and at most. */
  ruleHours: 24,
  maxRuleHours: 30 * 24,
  /** Rules of an environment. */
  rules: 100,
} as const;

/** What is in place of a credential. */
export const TAPE_HIDDEN = "[redacted]";

export const tapeBody = z.union([
  z.strictObject({ text: z.string().describe("The body, where it is text in UTF-8.") }),
  z.strictObject({ base64: z.string().describe("The body in base64, where it is not text.") }),
  z.strictObject({
    cut: z
      .strictObject({
        bytes: z.number().int().describe("Length of the body."),
        sha256: z.string().describe("SHA-256 of the body, in hexadecimal digits."),
      })
      .describe("Of a body that is too long for the tape."),
  }),
]);
export type TapeBody = z.infer<typeof tapeBody>;

export const tapeCall = z.strictObject({
  id: z.string().describe("Number of the call in its process; moments name it."),
  method: z.string().describe("Name of the call, such as `proxy` or `batchSave`."),
  params: z.unknown().describe("What the function asked for."),
  body: tapeBody.optional().describe("What it sent; absent without a body."),
  answer: z
    .strictObject({
      value: z.unknown().describe("What it was answered."),
      body: tapeBody.optional().describe("The body of the answer; absent without one."),
    })
    .optional()
    .describe("Absent where the call failed or the run ended before the answer."),
  failure: jsonObject
    .optional()
    .describe("Type, message and payload of the failure; absent where the call did not fail."),
  asked_ms: z.number().describe("When the call was made, in milliseconds of the run."),
  took_ms: z.number().nullable().describe("How long the answer took; null without one."),
});
export type TapeCall = z.infer<typeof tapeCall>;

export const tapeOutcome = z.union([
  z.strictObject({
    kind: z.literal("done").describe("The run succeeded."),
    interrupted: z.boolean().describe("Whether it paused at a checkpoint."),
    output: tapeBody.optional().describe("An action's output; absent without one."),
  }),
  z.strictObject({
    kind: z.literal("failed").describe("The run failed."),
    error: jsonObject.describe("Type and message of the error, and what else is known of it."),
  }),
]);
export type TapeOutcome = z.infer<typeof tapeOutcome>;

export const tapeFile = z
  .strictObject({
    format: z.literal(1).describe("Version of this format."),
    operation_id: z.string().describe("Operation of the run, in the logs."),
    recorded_at: z.string().describe("When the run began."),
    reason: z.enum(["sample", "next_failure"]).describe("By which rule the run was recorded."),
    function: z
      .strictObject({
        provider_config_key: z.string().describe("Integration of the function."),
        name: z.string().describe("Name of the function."),
        version: z.string().describe("Version that ran."),
      })
      .describe("The function."),
    facts: jsonObject.describe("What the run knew of itself: its connection, settings and limits."),
    seed: z.string().describe("What all random values of the run came from."),
    started_at_ms: z.number().describe("Milliseconds since 1970 at which its clock began."),
    input: tapeBody.optional().describe("The input; absent without one."),
    calls: z.array(tapeCall).describe("The calls of the run, in the order in which it made them."),
    moments: z
      .array(tapeMoment)
      .describe(
        "What reached the run, in order: the name (`start`, `a` and the id of an answered call, `t` and the number of a timer), microseconds of the run, and the steps of the clock when it was read.",
      ),
    outcome: tapeOutcome.describe("How the run ended."),
    begins_at: z
      .strictObject({
        call: z.string().describe("Id of the call that saved the checkpoint."),
        dropped: z.number().int().describe("How many calls before it are not on the tape."),
      })
      .nullable()
      .describe("Of a long run: the checkpoint with which the tape begins. Null for a whole tape."),
    cut: z
      .strictObject({
        at_call: z.string().describe("Id of the first call that is not on the tape as it was."),
        reason: z
          .enum(["calls", "bytes", "body", "process"])
          .describe(
            "`calls`, `bytes`: the limits of a tape; `body`: an answer that is too long; `process`: too many runs were recorded at once.",
          ),
      })
      .nullable()
      .describe("Where the tape is not complete; null where it is."),
  })
  .meta({ id: "Tape", description: "A recorded run, without credentials." });
export type TapeFile = z.infer<typeof tapeFile>;
