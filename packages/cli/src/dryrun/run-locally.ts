import { join } from "node:path";
import type { RunError, RunFacts } from "@jackfield/contract/runtime";
import { HostFailure, type LocalHost, type RunEnd } from "@jackfield/functions/test-kit";
import { CallError, createSandbox, mapStack, type Sandbox } from "@jackfield/server/sandbox";
import type { BuiltFunction } from "../project/build-project.ts";

const RUN_TIMEOUT_MS = 30 * 60_000;
const MEMORY_MB = 1024;

/** The same kind of process that the server runs functions in, on this machine. */
export async function openLocalSandbox(projectDir: string): Promise<Sandbox> {
  return await createSandbox({
    dataDir: join(projectDir, ".jackfield"),
    log: () => {},
    memoryMb: MEMORY_MB,
    maxIdle: 1,
  });
}

/** Runs a function once in a process of its own; positions of errors are in the author's files. */
export async function runLocally(
  sandbox: Sandbox,
  fn: Pick<BuiltFunction, "bundle" | "functionName" | "integrationId">,
  run: {
    readonly facts: RunFacts;
    readonly host: LocalHost;
    readonly input?: unknown;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<RunEnd> {
  const { bundle, integrationId, functionName } = fn;
  const outcome = await sandbox.run({
    environmentId: "local",
    connection: run.facts.connectionId,
    bundle: {
      id: bundle.sha256,
      filename: `${integrationId}/${functionName}.js`,
      code: bundle.code,
    },
    facts: run.facts,
    ...(run.input !== undefined && { input: Buffer.from(JSON.stringify(run.input)) }),
    timeoutMs: RUN_TIMEOUT_MS,
    ...(run.signal !== undefined && { signal: run.signal }),
    exclusive: true,
    onCall: async (call) => {
      try {
        return await run.host.call(call);
      } catch (error) {
        if (error instanceof HostFailure) throw new CallError(error.error, { cause: error });
        throw error;
      }
    },
  });
  if (outcome.kind === "failed") return { error: mapError(outcome.error, bundle.sourceMap) };
  return { output: parseOutput(outcome.output) };
}

function mapError(error: RunError, sourceMap: string): RunError {
  return error.stack === undefined ? error : { ...error, stack: mapStack(error.stack, sourceMap) };
}

function parseOutput(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  return text === "" ? undefined : JSON.parse(text);
}
