import { Command } from "commander";
import { buildProject } from "../project/build-project.ts";
import { findProject } from "../project/find-project.ts";
import { presentWarnings } from "../project/present-warnings.ts";

export function compileCommand(): Command {
  return new Command("compile")
    .description("check the types of the project's functions and bundle them into build/")
    .option("--json", "print what was built as JSON")
    .addHelpText(
      "after",
      "\nErrors are printed as file:line:column: message; then the exit code is 1.\n" +
        "\nExamples:\n  $ jackfield compile\n  $ jackfield compile --json",
    )
    .action(compile);
}

async function compile(options: { json?: true }): Promise<void> {
  const { functions, warnings } = await buildProject(findProject());
  presentWarnings(warnings);
  if (options.json === true) {
    const built = functions.map(({ integrationId, functionName, file, build, description }) => ({
      integration: integrationId,
      type: description.type,
      name: functionName,
      file,
      build,
    }));
    console.log(JSON.stringify({ functions: built, warnings }, undefined, 2));
    return;
  }
  for (const { file, build, bundle } of functions) {
    const kilobytes = Math.ceil(Buffer.byteLength(bundle.code) / 1000);
    console.log(`${file} -> ${build} (${kilobytes} kB)`);
  }
}
