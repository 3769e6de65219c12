import { Command } from "commander";
import { printJson } from "../../output/print-json.ts";
import { startProgress } from "../../output/progress.ts";
import { type BuiltProject, buildProject, CompileFailure } from "../../project/build-project.ts";
import { findProject } from "../../project/find-project.ts";
import { presentWarnings } from "../../project/present-warnings.ts";

export function compileCommand(): Command {
  return new Command("compile")
    .description("check the types of the project's functions, and bundle them into build/")
    .option("--json", "print what was built as JSON")
    .addHelpText(
      "after",
      "\nErrors are printed as file:line:column: message; then the exit code is 3.\n" +
        "\nExamples:\n  $ jackfield compile\n  $ jackfield compile --json",
    )
    .action(compile);
}

async function compile(options: { json?: true }): Promise<void> {
  const { functions, warnings } = await build(options);
  presentWarnings(warnings);
  if (options.json === true) {
    const built = functions.map(({ integrationId, functionName, file, build, description }) => ({
      integration: integrationId,
      type: description.type,
      name: functionName,
      file,
      build,
    }));
    printJson({ functions: built, errors: [], warnings });
    return;
  }
  for (const { file, build, bundle } of functions) {
    const kilobytes = Math.ceil(Buffer.byteLength(bundle.code) / 1000);
    console.log(`${file} -> ${build} (${kilobytes} kB)`);
  }
}

async function build(options: { json?: true }): Promise<BuiltProject> {
  using progress = startProgress();
  progress.show("checking types and bundling");
  try {
    return await buildProject(findProject());
  } catch (error) {
    if (options.json === true && error instanceof CompileFailure) {
      printJson({ functions: [], errors: error.errors, warnings: [] });
    }
    throw error;
  }
}
