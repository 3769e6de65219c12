import { readFile } from "node:fs/promises";
import { toolsetRoutes } from "@jackfield/contract";
import { Command, Option } from "commander";
import * as z from "zod";
import { callPlatform } from "../../deploy/call-platform.ts";
import { listPages } from "../../deploy/list-pages.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface Where {
  environment: string;
}

const toolset = z.looseObject({
  name: z.string(),
  version: z.number(),
  mode: z.string(),
  description: z.string(),
  tools: z.array(z.looseObject({ integration: z.string() })),
});
const one = z.looseObject({ data: toolset });

/** What a toolset is made of, as `save` takes it; the rest of an answer is the server's. */
const settings: ReadonlySet<string> = new Set(Object.keys(toolsetRoutes.putToolset.body.shape));

export function toolsetsCommand(): Command {
  const toolsets = new Command("toolsets").description("named sets of tools for agents");
  for (const command of [list(), show(), save(), remove()]) toolsets.addCommand(command);
  return toolsets;
}

function inEnvironment(command: Command): Command {
  return command.option("-e, --environment <name>", "where the toolset is", "dev");
}

function list(): Command {
  return inEnvironment(new Command("list"))
    .description("list the toolsets, oldest first")
    .option("--search <text>", "only those whose name or description holds it")
    .option("--integration <key>", "only those that name the integration")
    .option("--json", "print the toolsets of the API's answers as JSON")
    .action(async (options: Where & { search?: string; integration?: string; json?: true }) => {
      const { environment, search, integration, json } = options;
      const query = {
        ...(search !== undefined && { search }),
        ...(integration !== undefined && { integration }),
      };
      const found: z.output<typeof toolset>[] = [];
      const call = { path: "/agent/toolsets", query, item: toolset };
      for await (const page of listPages(findPlatform(environment), call)) found.push(...page);
      if (json === true) printJson({ data: found });
      else if (found.length === 0) console.log("There is no such toolset.");
      else printTable([["TOOLSET", "VERSION", "MODE", "INTEGRATIONS"], ...found.map(toRow)]);
    });
}

function toRow({ name, version, mode, tools }: z.output<typeof toolset>): string[] {
  const keys = tools.map(({ integration }) => integration).join(", ");
  return [name, String(version), mode, keys.slice(0, 80)];
}

function show(): Command {
  return inEnvironment(new Command("show"))
    .description("print a toolset as JSON, in the form that `toolsets save --file` takes")
    .argument("<name>", "name of the toolset")
    .addOption(new Option("--of <version>", "an earlier version").argParser(toVersion))
    .option("--json", "print all that the API answers")
    .action(async (name: string, options: Where & { of?: string; json?: true }) => {
      const answer = await callPlatform(findPlatform(options.environment), {
        ...{ method: "GET", path: pathOf(name), answer: one },
        ...(options.of !== undefined && { query: { version: options.of } }),
      });
      const own = Object.entries(answer.data).filter(([field]) => settings.has(field));
      printJson(options.json === true ? answer : Object.fromEntries(own));
    });
}

function toVersion(text: string): string {
  if (/^[1-9]\d{0,8}$/.test(text)) return text;
  throw new UserError("--of is the number of a version.", { exitCode: exitCodes.usage });
}

interface SaveOptions extends Where {
  file?: string;
  tool?: string[];
  description?: string;
  mode?: string;
  preset?: string;
  json?: true;
}

function save(): Command {
  return inEnvironment(new Command("save"))
    .description("make a toolset, or its next version; one that holds the same stays as it is")
    .argument("<name>", "name of the toolset")
    .option("--file <path>", "JSON of the toolset, as `toolsets show` prints it; - for the input")
    .option(
      "--tool <selection>",
      "an integration, or some of its tools: hubspot, or hubspot:find-contacts,create-contact; repeatable",
      (selection: string, before: string[] = []) => [...before, selection],
    )
    .option("--description <text>", "for people")
    .addOption(
      new Option("--mode <mode>", "how clients see the tools").choices(
        toolsetRoutes.putToolset.body.shape.mode.def.innerType.options,
      ),
    )
    .addOption(
      new Option("--preset <preset>", "which calls a person approves").choices([
        ...["read_only", "careful", "trusted"],
      ]),
    )
    .option("--json", "print what the API answers as JSON")
    .addHelpText(
      "after",
      "\nGive --file or --tool; the other options replace what the file says.\n" +
        "\nExample:\n  $ jackfield toolsets save support-agent --tool hubspot:find-contacts --preset careful",
    )
    .action(async (name: string, options: SaveOptions) => {
      const answer = await callPlatform(findPlatform(options.environment), {
        ...{ method: "PUT", path: pathOf(name), body: await readBody(options), answer: one },
      });
      if (options.json === true) printJson(answer);
      else console.log(`${answer.data.name} is saved as version ${answer.data.version}.`);
    });
}

async function readBody({ file, tool, description, mode, preset }: SaveOptions): Promise<object> {
  if (file === undefined && tool === undefined) {
    throw new UserError("Give --file or --tool: a toolset has tools.", {
      exitCode: exitCodes.usage,
    });
  }
  const read = file === undefined ? {} : await readSettings(file);
  return {
    ...read,
    ...(tool !== undefined && { tools: tool.map(readSelection) }),
    ...(description !== undefined && { description }),
    ...(mode !== undefined && { mode }),
    ...(preset !== undefined && { policy: { ...Object(Object(read).policy), preset } }),
  };
}

async function readSettings(file: string): Promise<object> {
  const from = file === "-" ? "the input" : file;
  const text = await readFile(file === "-" ? "/dev/stdin" : file, "utf8").catch((cause) => {
    throw new UserError(`${from} cannot be read.`, { cause, exitCode: exitCodes.usage });
  });
  const read = z.record(z.string(), z.unknown()).safeParse(parse(text));
  if (read.success) return read.data;
  throw new UserError(`${from} is no JSON object: write it as \`jackfield toolsets show\` does.`, {
    exitCode: exitCodes.usage,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readSelection(text: string) {
  const [integration = "", names] = text.split(":", 2);
  const actions = names?.split(",").map((name) => name.trim());
  if (integration !== "" && actions?.includes("") !== true) {
    return { integration, ...(actions !== undefined && { actions }) };
  }
  throw new UserError(`--tool ${text}: write it as integration or integration:tool,tool.`, {
    exitCode: exitCodes.usage,
  });
}

function remove(): Command {
  return inEnvironment(new Command("delete"))
    .description("delete a toolset; its sessions end")
    .argument("<name>", "name of the toolset")
    .action(async (name: string, { environment }: Where) => {
      await callPlatform(findPlatform(environment), {
        ...{ method: "DELETE", path: pathOf(name), answer: z.unknown() },
      });
      console.log(`${name} is deleted, and its sessions have ended.`);
    });
}

function pathOf(name: string): string {
  return `/agent/toolsets/${encodeURIComponent(name)}`;
}
