import { join, relative } from "node:path";
import { Command } from "commander";
import { printJson } from "../../output/print-json.ts";
import { createProject } from "../../project/create-project.ts";

export function initCommand(): Command {
  return new Command("init")
    .description("create a function project with an example sync and an example action")
    .argument("[path]", "folder of the project; made when missing", ".")
    .option("--json", "print the files' paths as JSON")
    .addHelpText(
      "after",
      "\nNothing is overwritten: when one of its files exists, init names it and stops.\n" +
        "\nExamples:\n  $ jackfield init my-functions\n  $ jackfield init",
    )
    .action(init);
}

async function init(path: string, options: { json?: true }): Promise<void> {
  const files = await createProject(path);
  const place = relative(process.cwd(), path) || ".";
  if (options.json === true) {
    printJson({ path: place, files });
    return;
  }
  console.log(`Created a function project in ${place}:`);
  for (const file of files) console.log(`  ${join(place, file)}`);
  const steps = [
    ...(place === "." ? [] : [`cd ${place}`]),
    ...(process.platform === "win32" ? ["npm install"] : []),
    "cp .env.example .env        # then write your key into it",
    "npx jackfield compile",
    `npx jackfield deploy dev    # needs the integration \`crm\`${files.includes("README.md") ? ", as the README says" : ""}`,
  ];
  console.log(`\nNext:\n${steps.map((step) => `  ${step}`).join("\n")}`);
}
