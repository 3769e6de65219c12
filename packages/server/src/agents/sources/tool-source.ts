import type { Connection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import type { ShownTool } from "#functions";
import type { RunCaller } from "#slice";
import type { Effect } from "../toolsets/toolset.ts";

/** One call, after all that decides whether it may be made. */
export interface ToolRun {
  readonly integrationKey: string;
  readonly connectionId: string;
  readonly connection: Connection;
  /** Whose session it is. */
  readonly sessionId: string;
  readonly input: unknown;
  /** Asked before the first change, and hears of the run. */
  readonly caller: RunCaller | undefined;
  /** Shown with the operation. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A tool with its texts and schemas, and what a call of it does, wherever it comes from. */
export interface ReadTool extends ShownTool {
  /** Of what it does: a call of another version needs another approval. */
  readonly digest: string;
  /** The same, of a tool that may be another for each account. */
  readonly digestFor?: (connection: Pick<Connection, "uuid">) => string;
  /** What a call with this input does to data; undefined where it is the same for all. */
  readonly effectOf?: (input: unknown) => Effect;
  /** Resolves to its output as JSON text. Throws AppError, and RefusedCall. */
  run(ctx: EnvironmentContext, run: ToolRun): Promise<Uint8Array>;
}
