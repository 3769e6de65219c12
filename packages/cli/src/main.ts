import { styleText } from "node:util";
import { CommanderError } from "commander";
import { beginJson, printJsonFailure } from "./output/print-json.ts";
import { createProgram } from "./program.ts";
import { exitCodes, messageOf, UserError } from "./user-error.ts";

/** Commands that serve others until they are stopped. */
const servers: ReadonlySet<string> = new Set(["start", "simulate"]);

/** Runs one command line and leaves its exit code; see `exitCodes`. */
export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  beginJson();
  const program = await createProgram(argv);
  program.hook("preAction", (_program, command) => {
    // Who uses a server does not read what it prints.
    if (!servers.has(command.name())) process.stdout.on("error", endWithReader);
  });
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    process.exitCode = presentFailure(error);
    if (process.exitCode !== exitCodes.done && argv.includes("--json")) {
      printJsonFailure({ message: messageOf(error), exit_code: process.exitCode });
    }
  }
}

/** As a program of a shell that is ended by SIGPIPE, such as by `| head`: nobody is left to tell. */
function endWithReader({ code }: NodeJS.ErrnoException): void {
  process.exit(code === "EPIPE" ? exitCodes.readerGone : exitCodes.failed);
}

function presentFailure(error: unknown): number {
  // Commander has printed its message, or the help that was asked for.
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const label = styleText("red", "error:", { stream: process.stderr });
  if (error instanceof UserError) {
    if (error.message !== "") console.error(`${label} ${error.message}`);
    return error.exitCode;
  }
  const stack =
    error instanceof Error && error.stack !== undefined ? error.stack : messageOf(error);
  console.error(`${label} this is a fault of jackfield itself, please report it:\n${stack}`);
  return exitCodes.failed;
}
