import * as z from "zod";

/**
 * What a script of an agent may do: call tools, and nothing else. It travels in the frames of functions, from a process
 * that has no `svc`.
 */

/** What a script gets to know of its run. */
export const scriptFacts = z.object({
  /** 32 hexadecimal digits, from which its random numbers are made. */
  seed: z.string(),
  /** Milliseconds since 1970: its clock at the beginning. */
  startedAtMs: z.number(),
  outputLimitBytes: z.number(),
});
export type ScriptFacts = z.infer<typeof scriptFacts>;

/** A name of an integration or a tool, as a script writes it. */
const member = z.string().min(1).max(255);

export const scriptMethods = {
  /** body in: arguments as JSON; body out: output as JSON. `index` counts the calls of a script from 0. */
  callTool: {
    params: z.object({
      index: z.number().int().min(0),
      integration: member,
      tool: member,
      account: z.string().max(255).optional(),
    }),
    /** The clock of the script from then on. */
    result: z.object({ atMs: z.number() }),
  },
} as const;

export type ScriptMethod = keyof typeof scriptMethods;
export type ScriptCall = z.infer<typeof scriptMethods.callTool.params>;

/** What a script's process says of a script that has ended by itself; JSON. */
export interface ScriptEnd {
  readonly value: unknown;
  readonly log: string;
}
