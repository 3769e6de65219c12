import { Command } from "commander";
import * as z from "zod";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface RollbackOptions {
  environment: string;
  last?: true;
  json?: true;
}

const deployment = z.looseObject({
  id: z.string(),
  way: z.string(),
  state: z.string(),
  actor: z.looseObject({ name: z.string().nullable() }),
  plan: z.looseObject({
    created: z.number(),
    updated: z.number(),
    removed: z.number(),
    changes: z.array(
      z.looseObject({
        provider_config_key: z.string(),
        name: z.string(),
        change: z.string(),
      }),
    ),
  }),
  created_at: z.string(),
});
type Deployment = z.infer<typeof deployment>;

const SHOWN = "20";

export function rollbackCommand(): Command {
  return new Command("rollback")
    .description("roll back a deployment; without an argument, list the last deployments")
    .argument("[deployment]", "id of the deployment, as the list has it")
    .option("--last", "roll back the newest deployment that changed something")
    .option("-e, --environment <name>", "where", "dev")
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nEach function is again what it was before the deployment; what the deployment brought is removed.\n" +
        "It is refused where a function was deployed again since.\n" +
        "\nExamples:\n  $ jackfield rollback -e prod\n  $ jackfield rollback -e prod --last",
    )
    .action(rollBack);
}

async function rollBack(id: string | undefined, options: RollbackOptions): Promise<void> {
  if (id !== undefined && options.last === true) {
    throw new UserError("Name a deployment, or take --last: not both.", {
      exitCode: exitCodes.usage,
    });
  }
  const platform = findPlatform(options.environment);
  if (id === undefined && options.last !== true) return await list(platform, options);
  const chosen = id ?? (await findLast(platform)).id;
  const answer = await callPlatform(platform, {
    method: "POST",
    path: `/deployments/${encodeURIComponent(chosen)}/rollback`,
    answer: z.looseObject({ data: deployment }),
    exitCode: exitCodes.notDeployed,
  });
  if (options.json === true) {
    printJson(answer);
    return;
  }
  console.log(`Took back deployment ${chosen}:`);
  for (const { provider_config_key: key, name, change } of answer.data.plan.changes) {
    console.log(`  ${key}/${name}: ${changes[change] ?? change}`);
  }
}

/** What the rollback did to a function, which is a deployment itself. */
const changes: Readonly<Record<string, string>> = {
  new: "is there again",
  updated: "is what it was before",
  removed: "is removed, as it was not there before",
};

async function listDeployments(platform: Platform): Promise<{ data: Deployment[] }> {
  return await callPlatform(platform, {
    method: "GET",
    path: "/deployments",
    query: { limit: SHOWN },
    answer: z.looseObject({ data: z.array(deployment) }),
  });
}

async function findLast(platform: Platform): Promise<Deployment> {
  const { data } = await listDeployments(platform);
  const last = data.find(({ state, plan }) => state === "success" && plan.changes.length > 0);
  if (last !== undefined) return last;
  throw new UserError(`None of the last ${SHOWN} deployments changed anything.`, {
    exitCode: exitCodes.notDeployed,
  });
}

async function list(platform: Platform, { json, environment }: RollbackOptions): Promise<void> {
  const answer = await listDeployments(platform);
  if (json === true) {
    printJson(answer);
    return;
  }
  if (answer.data.length === 0) {
    console.log(`Nothing was deployed to ${environment} yet.`);
    return;
  }
  const rows = answer.data.map(({ id, created_at: at, way, state, actor, plan }) => [
    ...[id, at, state === "success" ? way : `${way}, failed`],
    `${plan.created} new, ${plan.updated} changed, ${plan.removed} removed`,
    actor.name ?? "",
  ]);
  printTable([["DEPLOYMENT", "AT", "WAY", "FUNCTIONS", "BY"], ...rows]);
}
