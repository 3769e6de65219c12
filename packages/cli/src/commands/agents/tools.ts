import { Command, InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import { listPages } from "../../deploy/list-pages.ts";
import { type AgentTools, readAgentTools } from "../../deploy/read-agent-tools.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface ToolsOptions {
  environment: string;
  maxTokens?: number;
  json?: true;
  form?: string;
  toolset?: string;
}

export function toolsCommand(): Command {
  return new Command("tools")
    .description("list the tools that agents may have, with their cost in tokens")
    .option("-e, --environment <name>", "environment of the tools", "dev")
    .option("--max-tokens <number>", "fail when all tools together take more", toNumber)
    .option("--json", "print the API's answer as JSON, its pages in one")
    .addOption(
      new Option("--form <form>", "print the tools of a toolset as TypeScript").choices(["ts"]),
    )
    .option("--toolset <name>", "whose tools --form prints")
    .action(async (options: ToolsOptions) => {
      if (options.form === undefined && options.toolset === undefined) await listTools(options);
      else await printDeclarations(options);
    });
}

function toNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

async function printDeclarations({ environment, form, toolset }: ToolsOptions): Promise<void> {
  if (form === undefined || toolset === undefined) {
    const message = "Give --form ts and --toolset together.";
    throw new UserError(message, { exitCode: exitCodes.usage });
  }
  const path = `/agent/toolsets/${encodeURIComponent(toolset)}/declarations`;
  const tools: Declared[] = [];
  const pages = listPages(findPlatform(environment), { path, item: declared });
  for await (const page of pages) tools.push(...page);
  console.log(toDeclarations(toolset, tools));
}

async function listTools({ environment, maxTokens, json }: ToolsOptions): Promise<void> {
  const answer = await readAgentTools(findPlatform(environment));
  if (json === true) printJson(answer);
  else print(answer);
  if (maxTokens === undefined || answer.tokens <= maxTokens) return;
  throw new UserError(`The tools take ${answer.tokens} tokens; --max-tokens allows ${maxTokens}.`);
}

function print({ data, left_out: leftOut, tokens }: AgentTools): void {
  if (data.length === 0) {
    console.log("There is no tool yet: deploy an action with `jackfield deploy`.");
  } else {
    const rows = data.map((tool) => [
      ...[tool.name, tool.source, tool.effect ?? "-", String(tool.tokens)],
      tool.warnings.join(", ").replaceAll("_", " "),
    ]);
    printTable([["TOOL", "SOURCE", "EFFECT", "TOKENS", "TO IMPROVE"], ...rows]);
    console.log(`${data.length} tools take about ${tokens} tokens.`);
  }
  for (const { integration, action, reason } of leftOut) {
    console.log(`${integration} ${action} is no tool: ${reason.replaceAll("_", " ")}.`);
  }
}

const declared = z.looseObject({
  name: z.string(),
  effect: z.string(),
  summary: z.string(),
  typescript: z.string(),
});
type Declared = z.output<typeof declared>;

/** A module of types: one interface with a method for each tool, under the names that agents call them by. */
function toDeclarations(toolset: string, tools: readonly Declared[]): string {
  return [
    `// Tools of the toolset ${toolset}: \`jackfield tools --form ts --toolset ${toolset}\`.`,
    "",
    "export interface Tools {",
    ...tools.flatMap(({ name, effect, summary, typescript }) => [
      `  /** ${toComment(`${effect}: ${summary}`)} */`,
      `  ${JSON.stringify(name)}${typescript};`,
    ]),
    "}",
  ].join("\n");
}

// A description may be a stranger's text: it does not leave its comment.
function toComment(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
  return line.replaceAll("*/", "* /");
}
