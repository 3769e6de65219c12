import { Command } from "commander";
import { printJson } from "../../output/print-json.ts";
import { findProject } from "../../project/find-project.ts";
import { removeFunctionFile, renameFunctionFile } from "../../project/move-function-file.ts";
import { listFunctionFiles, selectFunction } from "../../project/select-function.ts";

interface MoveOptions {
  integration?: string;
  json?: true;
}

const DEPLOYED =
  "The platform keeps what is deployed under the old name, with its records, until the next `jackfield deploy --allow-destructive`.";

export function renameCommand(): Command {
  return new Command("rename")
    .description("rename a function of the project and its recordings")
    .argument("<function>", "its name, <integration>/<name>, or <integration>/syncs/<name>")
    .argument("<name>", "the new name")
    .option("-i, --integration <id>", "integration of the function, if several have this name")
    .option("--json", "print the new paths as JSON")
    .addHelpText(
      "after",
      "\nFor the platform it is another function: a renamed sync starts from the beginning.\n" +
        "\nExample:\n  $ jackfield rename crm/contacts people",
    )
    .action(async (name: string, next: string, options: MoveOptions) => {
      const projectDir = findProject();
      const others = await listFunctionFiles(projectDir);
      const fn = selectFunction(others, { name, integration: options.integration });
      const files = await renameFunctionFile(projectDir, { fn, name: next, others });
      present("Now", files, options);
    });
}

export function rmCommand(): Command {
  return new Command("rm")
    .description("delete a function of the project and its recordings")
    .argument("<function>", "its name, <integration>/<name>, or <integration>/syncs/<name>")
    .option("-i, --integration <id>", "integration of the function, if several have this name")
    .option("--json", "print the deleted paths as JSON")
    .addHelpText("after", "\nExample:\n  $ jackfield rm crm/contacts")
    .action(async (name: string, options: MoveOptions) => {
      const projectDir = findProject();
      const others = await listFunctionFiles(projectDir);
      const fn = selectFunction(others, { name, integration: options.integration });
      present("Deleted", await removeFunctionFile(projectDir, fn, others), options);
    });
}

function present(what: string, files: readonly string[], options: MoveOptions): void {
  if (options.json === true) {
    printJson({ files });
    return;
  }
  console.log(`${what}: ${files.join(", ")}`);
  console.log(DEPLOYED);
}
