import { styleText } from "node:util";
import { type Command, CommanderError } from "commander";
import { createProgram } from "./program.ts";
import { messageOf, UserError } from "./user-error.ts";

/** Runs one command line. Exit codes: 0 done, 1 the command failed, 2 it was called wrongly. */
export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  const program: Command = createProgram();
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    process.exitCode = presentFailure(error);
  }
}

function presentFailure(error: unknown): number {
  // Commander has printed its message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const label = styleText("red", "error:", { stream: process.stderr });
  if (error instanceof UserError) console.error(`${label} ${error.message}`);
  else {
    const stack =
      error instanceof Error && error.stack !== undefined ? error.stack : messageOf(error);
    console.error(`${label} this is a fault of jackfield itself, please report it:\n${stack}`);
  }
  return 1;
}
