import type { RunFacts, RuntimeMethod } from "@jackfield/contract/runtime";
import {
  checkValue,
  createSvc,
  ExecutionInterrupted,
  fromRunError,
  type Run,
  type RuntimeAnswer,
  type RuntimeChannel,
  startRun,
  toRunError,
  type ValueSchema,
} from "../runtime/index.ts";
import type { Schema } from "../schemas.ts";
import type { AnyDefinition } from "./any-definition.ts";
import { HostFailure } from "./host-failure.ts";
import type { LocalHost } from "./local-host.ts";
import type { RunEnd } from "./to-result.ts";

const OUTPUT_LIMIT_BYTES = 10 * 1024 * 1024;

/** Facts of a run that no platform made; values are checked and what does not fit fails. */
export function localFacts(
  given: Pick<RunFacts, "kind" | "functionName" | "providerConfigKey"> & Partial<RunFacts>,
): RunFacts {
  return {
    environmentName: "dev",
    environmentId: "local",
    connectionId: "local",
    provider: given.providerConfigKey,
    variant: "base",
    operationId: "local",
    loggerLevel: "debug",
    validation: {
      input: "fail",
      output: "fail",
      records: "fail",
      metadata: "fail",
      checkpoint: "fail",
    },
    outputLimitBytes: OUTPUT_LIMIT_BYTES,
    isDryRun: true,
    ...given,
  };
}

/** Runs a definition in this process, for tests: what it calls is done by the host. */
export async function runInProcess(
  definition: AnyDefinition,
  input: { readonly facts: RunFacts; readonly host: LocalHost; readonly input?: unknown },
): Promise<RunEnd> {
  const run = startRun({
    facts: input.facts,
    channel: toChannel(input.host),
    schemas: {
      models: toSchemas(definition.models),
      metadata: toValueSchema(definition.metadata),
      checkpoint: toValueSchema(definition.checkpoint),
    },
    nowMs: () => performance.now(),
  });
  try {
    return { output: await execute(definition, run, input.input) };
  } catch (error) {
    if (error instanceof ExecutionInterrupted) return { output: undefined };
    return { error: toRunError(error, "") };
  } finally {
    run.state = "ended";
  }
}

async function execute(definition: AnyDefinition, run: Run, input: unknown): Promise<unknown> {
  const { kind } = run.facts;
  const svc = createSvc(run);
  if (kind === "webhook") {
    if (definition.onWebhook === undefined) throw new TypeError("The sync has no onWebhook.");
    await definition.onWebhook(svc, input);
    return undefined;
  }
  if (kind !== "action") {
    await definition.exec(svc);
    return undefined;
  }
  const failureTypes = { input: "invalid_action_input", output: "invalid_action_output" };
  const check = async (what: "input" | "output", value: unknown) =>
    await checkValue(run, {
      what,
      label: `The ${what}`,
      schema: toValueSchema(definition[what]),
      value,
      failureType: failureTypes[what],
    });
  await check("input", input);
  const output = await definition.exec(svc, input);
  await check("output", output);
  return output;
}

function toSchemas(models: AnyDefinition["models"]): Record<string, ValueSchema> {
  const schemas: Record<string, ValueSchema> = {};
  for (const [name, model] of Object.entries(models ?? {})) {
    const schema = toValueSchema(model);
    if (schema !== undefined) schemas[name] = schema;
  }
  return schemas;
}

/** Every schema of zod can check values; its type here says less, so that any release of zod fits. */
function toValueSchema(schema: Schema | undefined): ValueSchema | undefined {
  return schema !== undefined && isValueSchema(schema) ? schema : undefined;
}

function isValueSchema(schema: object): schema is ValueSchema {
  return "safeParse" in schema && "safeParseAsync" in schema;
}

function toChannel(host: LocalHost): RuntimeChannel {
  return {
    call: async (method, params, body = new Uint8Array(0)) => {
      try {
        const answer = await host.call({ method, params, body });
        return toAnswer(answer.value, answer.body);
      } catch (error) {
        if (error instanceof HostFailure) throw fromRunError(error.error);
        throw error;
      }
    },
  };
}

/** The host answers each method as the contract says. */
function toAnswer<Method extends RuntimeMethod>(
  value: unknown,
  body: Uint8Array = new Uint8Array(0),
): RuntimeAnswer<Method> {
  return { value, body } as RuntimeAnswer<Method>;
}
