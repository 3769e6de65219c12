import { Command } from "commander";
import * as z from "zod";
import { readProjectSettings } from "../../config.ts";
import { callPlatform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { addFunctionFile, requireNames } from "../../project/add-function-file.ts";
import { findProject } from "../../project/find-project.ts";
import { functionKinds } from "../../project/function-templates.ts";
import { UserError } from "../../user-error.ts";
import { addKindOptions, readKind } from "./create.ts";

interface PullOptions {
  environment: string;
  force?: true;
  json?: true;
  sync?: true;
  action?: true;
  onEvent?: true;
}

const deployedCode = z.looseObject({ type: z.enum(functionKinds), code: z.string() });

export function pullCommand(): Command {
  return addKindOptions(new Command("pull"))
    .description("download the source of a deployed function into the project")
    .argument("<integration>", "id of the integration")
    .argument("<name>", "the function's name")
    .option("-e, --environment <name>", "environment of the function", "dev")
    .option("-f, --force", "replace an existing file")
    .option("--json", "print the file's path as JSON")
    .addHelpText(
      "after",
      "\nThe server stores only the function's own file, not its imports.\n" +
        "\nExample:\n  $ jackfield pull crm contacts --environment prod",
    )
    .action(pull);
}

async function pull(integration: string, name: string, options: PullOptions): Promise<void> {
  const projectDir = findProject();
  const settings = readProjectSettings(projectDir);
  const wanted = readKind(options);
  requireNames({ integration, name });
  const { type, code } = await callPlatform(
    { host: settings.host, key: settings.requireSecretKey(options.environment) },
    {
      method: "GET",
      path: `/integrations/${encodeURIComponent(integration)}/functions/${encodeURIComponent(name)}/code`,
      ...(wanted !== undefined && { query: { type: wanted } }),
      answer: deployedCode,
    },
  );
  if (code.trim() === "") {
    throw new UserError(
      `The server has no source of ${integration}/${name}: it was deployed without.`,
    );
  }
  const file = await addFunctionFile(projectDir, {
    integration,
    name,
    kind: type,
    text: code,
    force: options.force === true,
    whenThere: "Replace it with --force.",
  });
  if (options.json === true) printJson({ file, type });
  else console.log(`Wrote ${file} and its line in index.ts.`);
}
