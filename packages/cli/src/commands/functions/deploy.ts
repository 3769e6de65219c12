import { createInterface } from "node:readline/promises";
import {
  canaryRoutes,
  functionRoutes,
  type RouteOutput,
  stagedDeploymentRoutes,
} from "@jackfield/contract";
import { Command, Option } from "commander";
import { type ProjectSettings, readProjectSettings } from "../../config.ts";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { describeCanary, startCanary } from "../../deploy/canary.ts";
import {
  addLimit,
  type CanaryLimits,
  readCanaryOptions,
  toMinutes,
} from "../../deploy/canary-options.ts";
import { breaks, presentImpact, presentPlan, presentRemovals } from "../../deploy/present-plan.ts";
import { readRevision } from "../../deploy/read-revision.ts";
import { stage, stagedPath } from "../../deploy/stage-deployment.ts";
import { type DeploymentBody, requireSelected, toDeployment } from "../../deploy/to-deployment.ts";
import { presentToolCosts } from "../../deploy/tool-costs.ts";
import { printJson } from "../../output/print-json.ts";
import { startProgress } from "../../output/progress.ts";
import { buildProject } from "../../project/build-project.ts";
import { findProject } from "../../project/find-project.ts";
import { presentWarnings } from "../../project/present-warnings.ts";
import { warnOfOpenEgress } from "../../project/project-egress.ts";
import { buildFiles, listFunctionFiles } from "../../project/select-function.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface DeployOptions {
  integration?: string;
  sync?: string;
  action?: string;
  allowDestructive?: true;
  autoConfirm?: true;
  plan?: true;
  canary?: string;
  canaryFor?: number;
  canaryLimit?: CanaryLimits;
  json?: true;
}

const { planDeployment, deployFunctions } = functionRoutes;
const { planStagedDeployment, commitStagedDeployment } = stagedDeploymentRoutes;
type Deployed = RouteOutput<typeof deployFunctions>;

export function deployCommand(): Command {
  return new Command("deploy")
    .description("compile the project, show what would change, and deploy it")
    .argument("<environment>", "such as dev; names the key's variable, SVC_SECRET_KEY_DEV")
    .option("-i, --integration <id>", "only this integration's functions")
    .addOption(new Option("-s, --sync <name>", "only this sync").conflicts("action"))
    .option("-a, --action <name>", "only this action")
    .option("--allow-destructive", "remove deployed functions that are no longer in the project")
    .option("--auto-confirm", "ask no questions")
    .option("--plan", "show what would change and which changes break callers; deploy nothing")
    .option("--canary <connections>", "let some connections try it first: 5%, ids, or tag=value")
    .addOption(
      new Option(
        "--canary-for <duration>",
        "how long at least, such as 2h (default: 1h)",
      ).argParser(toMinutes),
    )
    .addOption(
      new Option(
        "--canary-limit <name=value>",
        "how much worse it may be; may be repeated",
      ).argParser(addLimit),
    )
    .option("--json", "print the plan and the result as JSON")
    .addHelpText(
      "after",
      "\nReads SVC_SECRET_KEY_<ENVIRONMENT> (else SVC_SECRET_KEY) and SVC_HOSTPORT (default\n" +
        "http://127.0.0.1:3003) from the shell or the project's .env. The key decides where it deploys to.\n" +
        "It asks no questions in CI or without a terminal. With --plan the exit code is 9 if the deployment\n" +
        "would break callers or readers, or would remove something.\n" +
        "\nExamples:\n  $ jackfield deploy dev\n  $ jackfield deploy prod --integration crm\n" +
        "  $ jackfield deploy dev --sync contacts\n  $ jackfield deploy prod --plan\n  $ jackfield deploy prod --canary 5% --canary-for 2h\n  $ jackfield deploy prod --allow-destructive --auto-confirm",
    )
    .action(deploy);
}

async function deploy(environment: string, options: DeployOptions): Promise<void> {
  const projectDir = findProject();
  const settings = readProjectSettings(projectDir);
  const platform = { host: settings.host, key: settings.requireSecretKey(environment) };
  const { functions, warnings } = await build(projectDir, options);
  presentWarnings(warnings);
  const body = toDeployment(functions, {
    integration: options.integration,
    sync: options.sync,
    action: options.action,
  });

  const sending = await prepareSending(platform, body, options);
  const details = options.plan === true ? "?details=true" : "";
  const plan = await callPlatform(platform, {
    ...{ ...sending.plan, path: `${sending.plan.path}${details}` },
    answer: planDeployment.success.schema,
    exitCode: exitCodes.notDeployed,
  });
  const say = (line: string): void => (options.json === true ? undefined : console.log(line));
  say(`Deployment to ${environment} (${platform.host}):`);
  const lines = options.plan === true ? presentImpact(plan) : presentPlan(plan);
  for (const line of lines) say(`  ${line}`);
  if (lines.length === 0) say("  nothing changes");
  for (const warning of [...(plan.warnings ?? []), ...warnOfOpenEgress(functions)]) {
    console.error(`warning: ${warning}`);
  }

  if (options.plan === true) {
    if (options.json === true) printJson({ plan, deployed: null });
    if (breaks(plan)) process.exitCode = exitCodes.planBreaks;
    return;
  }

  const removals = presentRemovals(plan);
  try {
    if (removals.length > 0) await confirmRemovals(removals, { environment, options, settings });
  } catch (error) {
    if (options.json === true) printJson({ plan, deployed: null });
    throw error;
  }
  if (sending.canary !== undefined) {
    const { data: canary } = await startCanary(platform, sending.canary);
    if (options.json === true) return printJson({ plan, deployed: null, canary });
    for (const line of describeCanary(canary)) console.log(line);
    return;
  }
  const deployed = await callPlatform(platform, {
    ...sending.deploy,
    headers: await readRevision(projectDir),
    answer: deployFunctions.success.schema,
    exitCode: exitCodes.notDeployed,
  });
  if (options.json === true) return printJson({ plan, deployed });
  for (const line of presentDeployed(deployed)) console.log(line);
  for (const line of await presentToolCosts(platform, deployed)) console.log(line);
}

/** What is not deployed is not looked at; on-event functions and kinds show only when they are compiled. */
async function build(projectDir: string, { integration, sync, action }: DeployOptions) {
  using progress = startProgress();
  progress.show("checking types and bundling");
  const name = sync ?? action;
  if (integration === undefined && name === undefined) return await buildProject(projectDir);
  const files = await listFunctionFiles(projectDir);
  const chosen = files.filter(
    (file) =>
      (integration === undefined || file.integrationId === integration) &&
      (name === undefined || file.functionName === name),
  );
  requireSelected(files, chosen, { integration, sync, action });
  return await buildFiles(projectDir, chosen);
}

async function confirmRemovals(
  removals: readonly string[],
  asked: { environment: string; options: DeployOptions; settings: ProjectSettings },
): Promise<void> {
  const { environment, options, settings } = asked;
  if (options.allowDestructive !== true) {
    throw new UserError(
      `Nothing was deployed: this would remove from ${environment}\n` +
        `${removals.map((line) => `  ${line}`).join("\n")}\n` +
        "Deploy with --allow-destructive to remove it, or bring it back into the project.",
      { exitCode: exitCodes.notDeployed },
    );
  }
  if (options.autoConfirm === true || options.json === true || !settings.isInteractive) return;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Remove this from ${environment}? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new UserError("Nothing was deployed.", { exitCode: exitCodes.notDeployed });
  }
}

/** More functions than this go in several requests, and only what the server does not have of them. */
const SENT_AT_ONCE = 50;

interface Sending {
  readonly canary?: { readonly path: string; readonly body: unknown } | undefined;
  readonly plan: { readonly path: string; readonly body: unknown };
  readonly deploy: { readonly path: string; readonly body: unknown };
}

async function prepareSending(
  platform: Platform,
  body: DeploymentBody,
  options: DeployOptions,
): Promise<Sending> {
  const settings = readCanaryOptions(options);
  const scripts = (body.onEventScriptsByProvider ?? []).flatMap((one) => one.scripts);
  if (settings === undefined && body.flowConfigs.length + scripts.length <= SENT_AT_ONCE) {
    return {
      plan: { path: planDeployment.path, body },
      deploy: { path: deployFunctions.path, body },
    };
  }
  using progress = startProgress();
  progress.show("sending functions");
  const id = await stage(platform, body, (count, total) =>
    progress.show("sending bundles", { count, total }),
  );
  return {
    plan: { path: stagedPath(planStagedDeployment.path, id), body: {} },
    deploy: { path: stagedPath(commitStagedDeployment.path, id), body: {} },
    canary: settings && {
      path: stagedPath(canaryRoutes.startCanary.path, id),
      body: settings,
    },
  };
}

function presentDeployed(deployed: Deployed): string[] {
  return [
    `Deployed ${deployed.length} function${deployed.length === 1 ? "" : "s"}:`,
    ...deployed.map((fn) => {
      const schedule = fn.runs === null || fn.runs === "" ? "" : `, ${fn.runs}`;
      return `  ${fn.type.padEnd(8)} ${fn.providerConfigKey}/${fn.name} (version ${fn.version}${schedule})`;
    }),
  ];
}
