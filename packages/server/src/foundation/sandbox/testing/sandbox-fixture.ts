import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { createSandbox } from "../sandbox.ts";
import type { Sandbox, SandboxOptions, SandboxRun } from "../types.ts";
import { newFacts } from "./test-facts.ts";

/** One folder for a whole test file, so that the runner is bundled once. */
const dataDir = mkdtempSync(join(tmpdir(), "sandbox-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** A sandbox that ends with the test. */
export async function startSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await createSandbox({ dataDir, log: () => {}, ...options });
  onTestFinished(async () => await sandbox[Symbol.asyncDispose]());
  return sandbox;
}

/** A run of an action whose `exec` has this body; `svc` and `input` are in scope. */
export function newRun(execBody: string, options: Partial<SandboxRun> = {}): SandboxRun {
  return newRunOfCode(
    `const schema = { safeParseAsync: async (data) => ({ success: true, data }), safeParse: (data) => ({ success: true, data }) };
     module.exports = { default: { type: "action", description: "test", input: schema, output: schema,
       exec: async (svc, input) => { ${execBody} } } };`,
    options,
  );
}

/** A run of a bundle with this text. */
export function newRunOfCode(code: string, options: Partial<SandboxRun> = {}): SandboxRun {
  return {
    environmentId: "env-1",
    connection: "connection-1",
    bundle: { id: code, filename: "crm/act.js", code },
    facts: newFacts(),
    timeoutMs: 20_000,
    exclusive: false,
    onCall: async () => ({ value: null }),
    ...options,
  };
}

/** The output of a run that must have succeeded. */
export async function outputOf(sandbox: Sandbox, run: SandboxRun): Promise<unknown> {
  const outcome = await sandbox.run(run);
  if (outcome.kind === "failed") {
    throw new Error(`${outcome.error.type}: ${outcome.error.message}`);
  }
  return outcome.output.byteLength === 0
    ? undefined
    : JSON.parse(new TextDecoder().decode(outcome.output));
}

/** The error type of a run that must have failed. */
export async function failureOf(sandbox: Sandbox, run: SandboxRun): Promise<string> {
  const outcome = await sandbox.run(run);
  return outcome.kind === "failed" ? outcome.error.type : `done: ${outcome.output.toString()}`;
}
