import { Command } from "commander";
import * as z from "zod";
import { callPlatform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface OpenapiOptions {
  environment: string;
  include?: string[];
  exclude?: string[];
  effect?: string[];
  basePath?: string;
  remove?: true;
  json?: true;
}

const shownDocument = z.looseObject({
  data: z.looseObject({
    title: z.string(),
    version: z.string(),
    operations: z.array(
      z.looseObject({
        name: z.string(),
        method: z.string(),
        path: z.string(),
        effect: z.string(),
        tokens: z.number(),
      }),
    ),
    left_out: z.array(z.looseObject({ operation: z.string(), reason: z.string() })),
    excluded: z.number(),
  }),
});

export function openapiCommand(): Command {
  return new Command("openapi")
    .description("make the operations of an OpenAPI document tools of agents, without code")
    .argument("<integration>", "whose calls the operations are")
    .argument("[source]", "the document: a file, or an https address that the server fetches")
    .option("-e, --environment <name>", "where", "dev")
    .option("--include <name...>", "only these: operation ids, names of tools, tags")
    .option("--exclude <name...>", "not these, by the same names")
    .option("--effect <operation=effect...>", "what an operation does: read, write or destructive")
    .option("--base-path <path>", "what each path begins with; the document says it unless given")
    .option("--remove", "remove the document: its operations are no longer tools")
    .option("--json", "print what the API answers as JSON")
    .addHelpText(
      "after",
      "\nWithout a source, the operations are listed that are tools, and why others are not.\n" +
        "\nExamples:\n" +
        "  $ jackfield integrations openapi crm openapi.yaml --include contacts --effect searchContacts=read\n" +
        "  $ jackfield integrations openapi crm https://crm.example.com/openapi.json\n" +
        "  $ jackfield integrations openapi crm",
    )
    .action(openapi);
}

async function openapi(
  integration: string,
  source: string | undefined,
  options: OpenapiOptions,
): Promise<void> {
  const platform = findPlatform(options.environment);
  const path = `/integrations/${encodeURIComponent(integration)}/openapi`;
  if (options.remove === true) {
    await callPlatform(platform, { method: "DELETE", path, answer: z.unknown() });
    if (options.json !== true) console.log(`Removed the document of ${integration}.`);
    return;
  }
  const answer = await callPlatform(platform, {
    path,
    answer: shownDocument,
    ...(source === undefined
      ? { method: "GET" as const }
      : { method: "PUT" as const, body: await toBody(source, options) }),
  });
  if (options.json === true) printJson(answer);
  else present(answer.data);
}

async function toBody(source: string, { include, exclude, effect, basePath }: OpenapiOptions) {
  return {
    ...(/^https?:\/\//i.test(source) ? { url: source } : { document: await readText(source) }),
    ...(include !== undefined && { include }),
    ...(exclude !== undefined && { exclude }),
    ...(effect !== undefined && { effects: Object.fromEntries(effect.map(toEffect)) }),
    ...(basePath !== undefined && { base_path: basePath }),
  };
}

/** With the files of its folder that it refers to. */
async function readText(source: string): Promise<string> {
  const { readDocument } = await import("../../openapi/document/read-document.ts");
  const { root } = await readDocument(source);
  return JSON.stringify(root);
}

function toEffect(text: string): [string, string] {
  const at = text.lastIndexOf("=");
  const effect = text.slice(at + 1);
  if (at > 0 && ["read", "write", "destructive"].includes(effect))
    return [text.slice(0, at), effect];
  throw new UserError(
    `--effect ${text} does not name an operation and read, write or destructive, such as searchContacts=read.`,
    { exitCode: exitCodes.usage },
  );
}

function present({
  title,
  version,
  operations,
  left_out: leftOut,
  excluded,
}: z.output<typeof shownDocument>["data"]): void {
  const rows = operations.map(({ name, method, path, effect, tokens }) => [
    ...[name, `${method} ${path}`, effect, String(tokens)],
  ]);
  if (rows.length > 0) printTable([["TOOL", "REQUEST", "EFFECT", "TOKENS"], ...rows]);
  const others = excluded > 0 ? ` Not chosen: ${excluded}.` : "";
  console.log(`Operations of ${title} ${version} that are tools: ${rows.length}.${others}`);
  for (const { operation, reason } of leftOut)
    console.log(`${operation} is no tool: it ${reason}.`);
}
