import { Command, Option } from "commander";
import { printJson } from "../../output/print-json.ts";
import { addFunctionFile } from "../../project/add-function-file.ts";
import { findProject } from "../../project/find-project.ts";
import { type FunctionKind, writeFunctionTemplate } from "../../project/function-templates.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface KindOptions {
  sync?: true;
  action?: true;
  onEvent?: true;
}

export function createCommand(): Command {
  return addKindOptions(new Command("create"))
    .description("create the file of a new function and add its line to index.ts")
    .argument("<integration>", "id of the integration on the server; the folder's name")
    .argument("<name>", "the function's name, such as contacts")
    .option("--json", "print the file's path as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ jackfield create crm contacts --sync\n  $ jackfield create crm create-contact --action",
    )
    .action(create);
}

async function create(
  integration: string,
  name: string,
  options: KindOptions & { json?: true },
): Promise<void> {
  const kind = readKind(options);
  if (kind === undefined) {
    throw new UserError("Say what it is: --sync, --action or --on-event.", {
      exitCode: exitCodes.usage,
    });
  }
  const knowsPages = kind === "sync" && (await knowsPagesOf(integration));
  const text = writeFunctionTemplate(kind, name, { knowsPages });
  const file = await addFunctionFile(findProject(), {
    integration,
    name,
    kind,
    text,
    force: false,
    whenThere: "Choose another name.",
  });
  if (options.json === true) printJson({ file });
  else console.log(`Wrote ${file} and its line in index.ts.`);
}

/** Integrations are mostly named after their provider; the catalogue is loaded only for a new sync. */
async function knowsPagesOf(integration: string): Promise<boolean> {
  const { getProvider } = await import("@jackfield/catalogue");
  return getProvider(integration)?.pagination !== undefined;
}

/** The three kinds as options that exclude each other. */
export function addKindOptions(command: Command): Command {
  return command
    .addOption(new Option("--sync", "a sync").conflicts(["action", "onEvent"]))
    .addOption(new Option("--action", "an action").conflicts(["sync", "onEvent"]))
    .addOption(new Option("--on-event", "an on-event function").conflicts(["sync", "action"]));
}

export function readKind({ sync, action, onEvent }: KindOptions): FunctionKind | undefined {
  if (sync === true) return "sync";
  if (action === true) return "action";
  return onEvent === true ? "on-event" : undefined;
}
