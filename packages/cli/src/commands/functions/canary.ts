import { canaryRoutes } from "@jackfield/contract";
import { Command } from "commander";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { describeCanary } from "../../deploy/canary.ts";
import { printJson } from "../../output/print-json.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface CanaryOptions {
  environment: string;
  json?: true;
}

const { listCanaries, getCanary } = canaryRoutes;

export function canaryCommand(): Command {
  return new Command("canary")
    .description("show, promote or roll back a deployment that some connections try first")
    .addHelpText(
      "after",
      "\n`jackfield deploy --canary` starts one. Without an id the commands mean the newest.\n" +
        "\nExamples:\n  $ jackfield canary show -e prod\n  $ jackfield canary rollback -e prod",
    )
    .addCommand(subcommand("show", "show both versions, and what happens next"))
    .addCommand(subcommand("promote", "deploy the new version for all connections now"))
    .addCommand(subcommand("rollback", "return all connections to the deployed version now"));
}

function subcommand(name: "show" | "promote" | "rollback", description: string): Command {
  return new Command(name)
    .description(description)
    .argument("[canary]", "id of the canary; the newest unless given")
    .option("-e, --environment <name>", "where", "dev")
    .option("--json", "print the API's answer as JSON")
    .action(async (id: string | undefined, options: CanaryOptions) => {
      const platform = findPlatform(options.environment);
      const chosen = id ?? (await findNewest(platform, options));
      const path = `/canaries/${encodeURIComponent(chosen)}`;
      const answer = await callPlatform(platform, {
        method: name === "show" ? "GET" : "POST",
        path: name === "show" ? path : `${path}/${name}`,
        answer: getCanary.success.schema,
        exitCode: exitCodes.notDeployed,
      });
      if (options.json === true) return printJson(answer);
      for (const line of describeCanary(answer.data)) console.log(line);
    });
}

async function findNewest(platform: Platform, { environment }: CanaryOptions): Promise<string> {
  const { data } = await callPlatform(platform, {
    method: "GET",
    path: "/canaries",
    query: { limit: "1" },
    answer: listCanaries.success.schema,
  });
  const [newest] = data;
  if (newest !== undefined) return newest.id;
  throw new UserError(`No canary was started in ${environment} yet.`, {
    exitCode: exitCodes.notDeployed,
  });
}
