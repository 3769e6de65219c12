import { Command } from "commander";
import { needsServer } from "../load-server.ts";

export function startCommand(): Command {
  return new Command("start")
    .description("start the server in this process")
    .addHelpText(
      "after",
      "\nSettings are SVC_* environment variables; every problem with them is reported at the start.\n" +
        "\nExamples:\n  $ jackfield start\n  $ SVC_PORT=8080 SVC_DATABASE_URL=postgres://… jackfield start",
    )
    .action(async () => {
      const { main } = await needsServer(import("@jackfield/server"));
      await main();
    });
}
