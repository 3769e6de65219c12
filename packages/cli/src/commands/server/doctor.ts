import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { styleText } from "node:util";
import { Command } from "commander";
import * as z from "zod";
import { readProjectSettings } from "../../config.ts";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { needsServer } from "../../load-server.ts";
import { printJson } from "../../output/print-json.ts";
import { startProgress } from "../../output/progress.ts";
import { buildProject } from "../../project/build-project.ts";
import { findProject } from "../../project/find-project.ts";
import { exitCodes, messageOf, UserError } from "../../user-error.ts";
import { readVersion } from "../../version.ts";

interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "problem" | "skipped";
  /** What was found, and for a problem what to do; for a skipped check, why. */
  readonly message: string;
}

interface DoctorOptions {
  environment: string;
  json?: true;
}

/** Releases before 0.3.0 do not say which they are. */
const health = z.looseObject({ version: z.string().optional() });
const readiness = z.looseObject({ quarantined_since: z.string().optional() });
const integrations = z.looseObject({
  configs: z.array(z.looseObject({ unique_key: z.string() })),
});

export function doctorCommand(): Command {
  return new Command("doctor")
    .description("check whether functions can be compiled, run and deployed here, and the server")
    .option("-e, --environment <name>", "environment whose key is tried", "dev")
    .option("--json", "print the findings as JSON")
    .addHelpText(
      "after",
      "\nExit code 1 means that there is a problem.\n\nExample:\n  $ jackfield doctor --environment prod",
    )
    .action(doctor);
}

async function doctor(options: DoctorOptions): Promise<void> {
  using progress = startProgress();
  const findings: Finding[] = [];
  for await (const finding of examine(options)) {
    findings.push(finding);
    progress.show(finding.check);
  }
  progress[Symbol.dispose]();
  if (options.json === true) printJson({ findings });
  else for (const finding of findings) console.log(present(finding));
  const problems = findings.filter(({ state }) => state === "problem").length;
  if (problems > 0) throw new UserError("", { exitCode: exitCodes.failed });
}

async function* examine({ environment }: DoctorOptions): AsyncGenerator<Finding> {
  const ok = (check: string, message: string): Finding => ({ check, state: "ok", message });
  yield ok("jackfield", `${readVersion()} on Node ${process.versions.node}, ${process.platform}`);
  const project = tryTo(() => findProject());
  if ("problem" in project) {
    const message = `${process.cwd()} is not in a function project (a folder with package.json and index.ts), so its installation, zod, functions and integrations were not checked. Run this in a project to check them, or make one with \`jackfield init my-functions\``;
    yield { check: "project", state: "skipped", message };
    yield* examineServer(process.cwd(), environment);
    return;
  }
  const projectDir = project.value;
  yield ok("project", projectDir);
  yield examineInstall(projectDir);
  yield* examineZod(projectDir);
  const functions = await attempt("functions", async () => {
    const built = await buildProject(projectDir);
    return { message: `${built.functions.length} compile`, value: built.functions };
  });
  yield functions.finding;
  yield* examineSandbox(projectDir);
  yield* examineServer(projectDir, environment, functions.value ?? []);
}

async function* examineSandbox(projectDir: string): AsyncGenerator<Finding> {
  yield (
    await attempt("sandbox", async () => {
      const { openLocalSandbox } = await needsServer(import("../../dryrun/run-locally.ts"));
      await using sandbox = await openLocalSandbox(projectDir);
      const { level, reason, filtersCalls, limits } = sandbox.describe();
      const why = reason === undefined ? "" : ` (${reason})`;
      const filter = filtersCalls ? "with" : "without";
      return {
        message: `functions run at level ${level}${why}, ${filter} a filter of system calls, with limits by ${limits}`,
        value: level,
      };
    })
  ).finding;
}

/** The server that commands in this folder call. Without functions, as outside a project, a missing key is no problem. */
async function* examineServer(
  folder: string,
  environment: string,
  functions?: readonly { readonly integrationId: string }[],
): AsyncGenerator<Finding> {
  const settings = tryTo(() => readProjectSettings(folder));
  if ("problem" in settings) {
    yield { check: "platform", state: "problem", message: settings.problem };
    return;
  }
  const { host } = settings.value;
  const served = await attempt("platform", async () => {
    const call = { method: "GET", path: "/health", answer: health } as const;
    const { version } = await callPlatform({ host, key: "" }, call);
    const release = version === undefined ? "" : ` (version ${version})`;
    return { message: `${host} answers${release}`, value: { version } };
  });
  yield served.finding;
  const version = served.value?.version;
  if (version !== undefined && version !== readVersion()) {
    const message = `the server is ${version}, jackfield ${readVersion()}: install the same version on both sides`;
    yield { check: "version", state: "warning", message };
  }
  if (served.value !== undefined) yield* examineQuarantine(host);
  const key = tryTo(() => settings.value.requireSecretKey(environment));
  if ("problem" in key) {
    const state = functions === undefined ? "skipped" : "problem";
    yield { check: "key", state, message: key.problem };
    return;
  }
  if (served.value === undefined) return;
  yield* examineIntegrations({ host, key: key.value }, environment, functions ?? []);
}

async function* examineQuarantine(host: string): AsyncGenerator<Finding> {
  const { value: since } = await attempt("quarantine", async () => {
    const call = { method: "GET", path: "/ready", answer: readiness } as const;
    const ready = await callPlatform({ host, key: "" }, call);
    return { message: "", value: ready.quarantined_since };
  });
  if (since === undefined) return;
  const message = `the server is a copy in quarantine since ${since}: it syncs, refreshes and delivers nothing until \`jackfield resume\``;
  yield { check: "quarantine", state: "warning", message };
}

async function* examineIntegrations(
  platform: Platform,
  environment: string,
  functions: readonly { readonly integrationId: string }[],
): AsyncGenerator<Finding> {
  const listed = await attempt("key", async () => {
    const { configs } = await callPlatform(platform, {
      method: "GET",
      path: "/integrations",
      answer: integrations,
    });
    return { message: `the key of ${environment} is accepted`, value: configs };
  });
  yield listed.value === undefined ? withCure(listed.finding, environment) : listed.finding;
  if (listed.value === undefined) return;
  const known = new Set(listed.value.map(({ unique_key: id }) => id));
  for (const id of new Set(functions.map(({ integrationId }) => integrationId))) {
    const isKnown = known.has(id);
    const message = isKnown
      ? `${id} is in ${environment}`
      : `${environment} has no integration ${id}: create it before you deploy its functions`;
    yield { check: "integration", state: isKnown ? "ok" : "warning", message };
  }
}

function withCure({ check, state, message }: Finding, environment: string): Finding {
  const cure = `\`jackfield keys create --environment ${environment}\` creates a key on the server's machine`;
  return { check, state, message: `${message}\n        ${cure}` };
}

/** What the project's own files are checked with must be the version that the command is of. */
function examineInstall(projectDir: string): Finding {
  const check = "installation";
  const wanted = ["jackfield", "zod", "@types/node"];
  const missing = wanted.filter((name) => !canResolve(projectDir, name));
  if (missing.length > 0) {
    const message = `not installed in the project: ${missing.join(", ")}; npm install --save-dev ${missing.join(" ")}`;
    return { check, state: "problem", message };
  }
  if (!existsSync(join(projectDir, "tsconfig.json"))) {
    return {
      check,
      state: "problem",
      message: "tsconfig.json is missing; `jackfield init` writes one",
    };
  }
  const installed: unknown = createRequire(join(projectDir, "package.json"))(
    "jackfield/package.json",
  );
  const { version } = z.looseObject({ version: z.string() }).parse(installed);
  if (version === readVersion()) return { check, state: "ok", message: `jackfield ${version}` };
  const message = `the project has jackfield ${version}, the command is ${readVersion()}: run it with npx`;
  return { check, state: "warning", message };
}

/** Functions run with the zod of their process, whichever the project has. */
async function* examineZod(projectDir: string): AsyncGenerator<Finding> {
  if (!canResolve(projectDir, "zod")) return;
  const { explainZod, hostZodVersion } = await import("@jackfield/functions/compile");
  const unlike = explainZod(projectDir);
  const message = unlike?.message ?? `zod ${hostZodVersion}, as functions run with`;
  yield { check: "zod", state: unlike === undefined ? "ok" : "warning", message };
}

function canResolve(projectDir: string, name: string): boolean {
  const found = tryTo(() =>
    createRequire(join(projectDir, "package.json")).resolve(`${name}/package.json`),
  );
  return "value" in found;
}

function tryTo<Value>(work: () => Value): { value: Value } | { problem: string } {
  try {
    return { value: work() };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

async function attempt<Value>(
  check: string,
  work: () => Promise<{ message: string; value: Value }>,
): Promise<{ finding: Finding; value: Value | undefined }> {
  try {
    const { message, value } = await work();
    return { finding: { check, state: "ok", message }, value };
  } catch (error) {
    const message = messageOf(error);
    return { finding: { check, state: "problem", message }, value: undefined };
  }
}

const marks = {
  ok: ["green", "ok     "],
  warning: ["yellow", "warning"],
  problem: ["red", "problem"],
  skipped: ["dim", "skipped"],
} as const;

function present({ check, state, message }: Finding): string {
  const [colour, text] = marks[state];
  return `${styleText(colour, text, { stream: process.stdout })} ${check}: ${message}`;
}
