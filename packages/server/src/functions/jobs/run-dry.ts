import { randomUUID } from "node:crypto";
import type { RunError } from "@jackfield/contract/runtime";
import { getConnection } from "#connections";
import {
  type EnvironmentContext,
  MINUTE,
  newTimeId,
  type OperationId,
  type RunId,
} from "#foundation";
import type { Call, SandboxRun } from "#foundation/sandbox";
import { getIntegration } from "#integrations";
import {
  readUpload,
  type UploadedFunction,
  type UploadedWithBundle,
} from "../deploy/read-upload.ts";
import type { DeployedFunction } from "../deployed-function.ts";
import { openRunDoor } from "../egress/run-door.ts";
import { CredentialFailures } from "../run/credential-failures.ts";
import type { FunctionRun } from "../run/function-run.ts";
import { mapRunError } from "../run/map-run-error.ts";
import { readRunFacts } from "../run/read-run-facts.ts";
import { RunSecrets } from "../run/run-secrets.ts";
import { compileSource } from "./compiling/compile-source.ts";
import { toUpload } from "./compiling/to-upload.ts";
import { DryCalls } from "./dry-calls.ts";
import type { DryRunRequest, Job, JobError, JobOutcome } from "./job.ts";
import { whileShowing } from "./progress.ts";
import { requireType } from "./require-type.ts";

// The run of a dry run, after its compilation.
const TIME_LIMIT_MS = 5 * MINUTE;
/** Wait for a process, which syncs may hold for long. */
const START_LIMIT_MS = 5 * MINUTE;

/** Compiles a text and runs it once, in the same sandbox as any function; what it would write is collected. */
export async function runDry(
  ctx: EnvironmentContext,
  job: Job,
  request: DryRunRequest,
): Promise<JobOutcome> {
  const { integrationKey, functionName } = job;
  const source = request.code;
  const compiled = await compileSource(
    ctx,
    { source, integrationKey, functionName },
    { isQueued: true },
  );
  requireType(compiled, job.functionType);
  const integration = await getIntegration(ctx, integrationKey);
  const connection = await getConnection(ctx, { integration, connectionId: request.connectionId });
  const upload = toUpload({ compiled, source, integrationKey, functionName, version: undefined });
  const [uploaded] = await readUpload(upload, new Map([[integrationKey, integration]]));
  if (uploaded === undefined) throw new Error("the upload is empty");
  const now = ctx.clock.now();
  const run: FunctionRun = {
    fn: asDeployed(uploaded, now),
    integration,
    connection,
    kind: uploaded.type,
    variant: request.variant,
    runId: newTimeId<RunId>(now),
    operationId: newTimeId<OperationId>(now),
    timeoutMs: TIME_LIMIT_MS,
    exclusive: true,
    ...(request.lastSyncDate === undefined ? {} : { lastSyncDate: new Date(request.lastSyncDate) }),
  };
  // Keys that may read credentials and those that may not see the same outcome.
  const secrets = new RunSecrets();
  const egress = openRunDoor(ctx, run, (value) => secrets.hide(value));
  const calls = new DryCalls(ctx, run, { request, egress });
  const credentials = new CredentialFailures(run);
  const onCall = (call: Call) =>
    secrets.pass(call, (passed) => credentials.pass(passed, () => calls.answer(passed)));
  const printed = () => calls.printed();
  const outcome = await whileShowing(
    ctx,
    { jobId: job.id, printed },
    async () => await runInSandbox(ctx, run, { uploaded, request, onCall }),
  );
  if (outcome.kind === "failed") {
    const settled = await credentials.settle(ctx, outcome.error);
    const error = secrets.hideIn(mapRunError(settled, compiled.sourceMap));
    return { output: calls.output(), result: calls.collected(), error: toJobError(error) };
  }
  const result = uploaded.type === "action" ? parse(outcome.output) : calls.collected();
  return { output: calls.output(), ...(result === undefined ? {} : { result }) };
}

async function runInSandbox(
  ctx: EnvironmentContext,
  run: FunctionRun,
  given: Pick<SandboxRun, "onCall"> & { uploaded: UploadedWithBundle; request: DryRunRequest },
) {
  const { uploaded, request, onCall } = given;
  const facts = await readRunFacts(ctx, run);
  return await ctx.sandbox.run({
    environmentId: ctx.environment.id,
    connection: run.connection.uuid,
    bundle: {
      id: uploaded.bundleSha256.toString("hex"),
      filename: `${run.fn.name}.cjs`,
      code: uploaded.bundle.code,
    },
    facts: { ...facts, isDryRun: true, loggerLevel: "debug" },
    timeoutMs: run.timeoutMs,
    startTimeoutMs: START_LIMIT_MS,
    signal: ctx.signal,
    exclusive: true,
    depth: 0,
    onCall,
    ...(request.hasInput ? { input: Buffer.from(JSON.stringify(request.input)) } : {}),
  });
}

/** As if it had been deployed, for those who only read what it says of itself. */
function asDeployed(uploaded: UploadedFunction, deployedAt: Date): DeployedFunction {
  return { ...uploaded, id: 0, version: randomUUID(), enabled: true, deployedAt };
}

function parse(output: Uint8Array): unknown {
  if (output.byteLength === 0) return null;
  try {
    return JSON.parse(Buffer.from(output).toString("utf8"));
  } catch {
    return null;
  }
}

function toJobError({ type, message, payload, upstream, stack }: RunError): JobError {
  const details = payload ?? (upstream && { upstream }) ?? (stack && { stack });
  return { code: type, message, ...(details === undefined ? {} : { payload: details }) };
}
