import type { StartSimulator } from "@jackfield/server";
import { Command } from "commander";
import { needsServer } from "../../load-server.ts";
import { loadSimulator } from "../../load-simulator.ts";

/** What plays a provider for first steps, loaded when somebody asks for it; undefined where it is not installed. */
function findSimulator(): StartSimulator | undefined {
  try {
    import.meta.resolve("@jackfield/simulator");
  } catch {
    return undefined;
  }
  return async (given) => await (await loadSimulator()).startFirstSteps(given);
}

export function startCommand(): Command {
  return new Command("start")
    .description("start the server in this process")
    .addHelpText(
      "after",
      "\nSettings are SVC_* environment variables; every problem with them is reported at start.\n" +
        "\nExamples:\n  $ jackfield start\n  $ SVC_PORT=8080 SVC_DATABASE_URL=postgres://… jackfield start",
    )
    .action(async () => {
      const { main } = await needsServer(import("@jackfield/server"));
      const startSimulator = findSimulator();
      await main(startSimulator === undefined ? {} : { startSimulator });
    });
}
