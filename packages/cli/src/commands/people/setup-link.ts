import { Command } from "commander";
import { UserError } from "../../user-error.ts";
import { withServer, worksOnDatabase } from "./with-server.ts";

export function setupLinkCommand(): Command {
  return new Command("setup-link")
    .description("create the one-time link with which somebody becomes the first owner")
    .addHelpText(
      "after",
      `${worksOnDatabase}Earlier setup links end.\n\nExamples:\n  $ jackfield setup-link`,
    )
    .action(async () => {
      const link = await withServer(async (server, config) => await server.makeSetupLink(config));
      if (link === undefined) {
        throw new UserError(
          "There is an owner already; sign in with `jackfield open`, or see `jackfield users list`.",
        );
      }
      console.error("Works once, within 24 hours:");
      console.log(link);
    });
}
