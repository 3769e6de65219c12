import { writeFile } from "node:fs/promises";
import { Command } from "commander";
import * as z from "zod";
import { callPlatform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { downloadTape } from "../../replay/read-tape.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface CommonOptions {
  environment: string;
  json?: true;
}

interface NamedOptions extends CommonOptions {
  integration?: string;
  type?: string;
}

interface OnOptions extends NamedOptions {
  sample?: string;
  nextFailure?: true;
  hours: string;
}

const rule = z.looseObject({
  provider_config_key: z.string(),
  function: z.string(),
  sample: z.number(),
  next_failure: z.boolean(),
  ends_at: z.string(),
});
const tape = z.looseObject({
  operation_id: z.string(),
  provider_config_key: z.string(),
  function: z.string(),
  reason: z.string(),
  state: z.string(),
  calls: z.number(),
  created_at: z.string(),
});

export function tapeCommand(): Command {
  return new Command("tape")
    .description("record runs of functions in an environment, and list what was recorded")
    .addCommand(onCommand())
    .addCommand(offCommand())
    .addCommand(listCommand())
    .addCommand(showCommand());
}

function onCommand(): Command {
  return named(new Command("on"))
    .description("record runs of a function, by a share of them or the next one that fails")
    .option("--sample <share>", "share of the runs, from 0 to 1")
    .option("--next-failure", "the next run that fails")
    .option("--hours <number>", "after how many hours recording ends", "24")
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nThe API key needs environment:tapes:write.\n" +
        "\nExamples:\n  $ jackfield tape on crm/contacts --next-failure\n  $ jackfield tape on crm/contacts --sample 0.01 --hours 72",
    )
    .action(on);
}

function offCommand(): Command {
  return named(new Command("off"))
    .description("stop recording runs of a function")
    .option("--json", "print the API's answer as JSON")
    .action(off);
}

function listCommand(): Command {
  return new Command("list")
    .description("list recorded runs, newest first, and which runs are recorded now")
    .option("-e, --environment <name>", "environment of the tapes", "dev")
    .option("--json", "print the API's answers as JSON")
    .action(list);
}

function showCommand(): Command {
  return new Command("show")
    .description("print the tape of a run as JSON")
    .argument("<operation>", "id of the run's operation")
    .option("-e, --environment <name>", "environment of the tape", "dev")
    .option("-o, --output <file>", "write it into a file instead")
    .action(show);
}

function named(command: Command): Command {
  return command
    .argument("<function>", "its name, or <integration>/<name>")
    .option("-e, --environment <name>", "environment of the function", "dev")
    .option("-i, --integration <id>", "integration of the function")
    .option("--type <type>", "sync, action or on-event, if several functions have this name");
}

async function on(name: string, options: OnOptions): Promise<void> {
  const { sample, nextFailure, hours } = options;
  if (sample === undefined && nextFailure !== true) {
    throw new UserError("Say which runs: --sample <share>, --next-failure, or both.", {
      exitCode: exitCodes.usage,
    });
  }
  const { path, query } = placeOf(name, options);
  const body = {
    ...(sample !== undefined && { sample: numberOf("--sample", sample) }),
    ...(nextFailure === true && { next_failure: true }),
    hours: numberOf("--hours", hours),
  };
  const call = { method: "PUT", path, query, body, answer: z.object({ data: rule }) } as const;
  const answer = await callPlatform(findPlatform(options.environment), call);
  if (options.json === true) printJson(answer);
  else console.log(presentRule(answer.data));
}

async function off(name: string, options: NamedOptions): Promise<void> {
  const { path, query } = placeOf(name, options);
  const call = { method: "DELETE", path, query, answer: z.looseObject({}) } as const;
  const answer = await callPlatform(findPlatform(options.environment), call);
  if (options.json === true) printJson(answer);
  else console.log(`No more runs of ${name} are recorded.`);
}

async function list(options: CommonOptions): Promise<void> {
  const platform = findPlatform(options.environment);
  const answer = z.object({ data: z.array(tape) });
  const tapes = await callPlatform(platform, { method: "GET", path: "/tapes", answer });
  const rules = await callPlatform(platform, {
    method: "GET",
    path: "/tape-rules",
    answer: z.object({ data: z.array(rule) }),
  });
  if (options.json === true) {
    printJson({ tapes: tapes.data, rules: rules.data });
    return;
  }
  for (const each of rules.data) console.log(presentRule(each));
  for (const each of tapes.data) {
    const { provider_config_key: key, calls, reason } = each;
    const what = `${key}/${each.function}`;
    console.log(
      `${each.created_at}  ${each.state.padEnd(7)}  ${what}  ${calls} calls  ${reason}  ${each.operation_id}`,
    );
  }
}

async function show(
  operation: string,
  options: { environment: string; output?: string },
): Promise<void> {
  const found = await downloadTape(findPlatform(options.environment), operation);
  if (options.output === undefined) {
    printJson(found);
    return;
  }
  await writeFile(options.output, `${JSON.stringify(found, undefined, 1)}\n`);
  console.log(`Written to ${options.output}`);
}

function placeOf(name: string, { integration, type }: NamedOptions) {
  const [first = "", second] = name.split("/");
  const key = integration ?? (second === undefined ? undefined : first);
  if (key === undefined) {
    throw new UserError(`Name the integration: <integration>/${name}, or --integration.`, {
      exitCode: exitCodes.usage,
    });
  }
  const path = `/integrations/${encodeURIComponent(key)}/functions/${encodeURIComponent(second ?? first)}/tape-rule`;
  return { path, query: type === undefined ? {} : { type } };
}

function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  throw new UserError(`${option} is no number: ${text}`, { exitCode: exitCodes.usage });
}

function presentRule(each: z.output<typeof rule>): string {
  const { provider_config_key: key, sample, next_failure: isNext, ends_at: end } = each;
  const parts = [
    sample > 0 ? `${sample * 100} % of the runs` : "",
    isNext ? "the next failure" : "",
  ];
  const what = parts.filter((part) => part !== "").join(" and ");
  return `${key}/${each.function}: ${what === "" ? "nothing" : what} until ${end}`;
}
