import { spawn } from "node:child_process";
import { once } from "node:events";
import { Command } from "commander";
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

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** False where no browser can be opened. */
async function openBrowser(link: string): Promise<boolean> {
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, link], { stdio: "ignore", detached: true });
  const failed = once(child, "error").then(() => false);
  const started = once(child, "exit").then(([code]) => code === 0);
  return await Promise.race([failed, started]);
}
