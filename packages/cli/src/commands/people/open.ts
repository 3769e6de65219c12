import { Command } from "commander";
import { openBrowser } from "../../platform/open-browser.ts";
import { withServer, worksOnDatabase } from "./with-server.ts";

interface OpenOptions {
  user?: string;
  print?: true;
}

export function openCommand(): Command {
  return new Command("open")
    .description("open the dashboard in a browser, signed in with a one-time link")
    .option("--user <e-mail>", "the user (default: the first owner)")
    .option("--print", "print the link and open nothing")
    .addHelpText(
      "after",
      `${worksOnDatabase}Without an owner it opens the setup link.\n\nExamples:\n  $ jackfield open\n  $ jackfield open --user ada@example.com --print`,
    )
    .action(async ({ user, print }: OpenOptions) => {
      const link = await withServer(
        async (server, config) =>
          (await server.makeOpenLink(config, user)) ?? (await server.makeSetupLink(config)),
      );
      if (link === undefined) throw new Error("there is neither an owner nor a setup link");
      if (print === true || !(await openBrowser(link))) console.log(link);
    });
}
