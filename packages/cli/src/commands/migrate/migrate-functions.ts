import { relative } from "node:path";
import { Command } from "commander";
import { changeFunctions } from "../../nango/change-functions.ts";
import { printJson } from "../../output/print-json.ts";

export function migrateFunctionsCommand(): Command {
  return (
    new Command("functions")
      .description("change the files of a Nango project into those of a Jackfield project")
      .argument("[path]", "folder of the project", ".")
      .option("--dry-run", "only list what would change")
      .option("--json", "print the changes as JSON")
      .addHelpText(
        "after",
        "\nChanges imports, package.json and .env files, but not the code of the functions. It lists what you\n" +
          "have to change by hand. Commit first, and review the difference afterwards.\n" +
          "\nExample:\n  $ jackfield migrate functions nango-integrations --dry-run",
      )
      // `migrate` has both options as well, and takes them wherever they are.
      .action(async (path: string, _options: FunctionsOptions, command: Command) => {
        await migrate(path, command.optsWithGlobals<FunctionsOptions>());
      })
  );
}

interface FunctionsOptions {
  dryRun?: true;
  json?: true;
}

async function migrate(path: string, options: FunctionsOptions): Promise<void> {
  const { changed, byHand } = await changeFunctions(path, { dryRun: options.dryRun === true });
  const short = (file: string) => relative(process.cwd(), file) || ".";
  if (options.json === true) {
    const left = byHand.map(({ file, message }) => ({ file: short(file), message }));
    printJson({ changed: changed.map(short), by_hand: left });
    return;
  }
  const verb = options.dryRun === true ? "would change" : "changed";
  for (const file of changed) console.log(`${verb} ${short(file)}`);
  for (const { file, message } of byHand) console.log(`by hand: ${short(file)}: ${message}`);
  if (changed.length === 0 && byHand.length === 0) console.log("There is nothing to change.");
}
