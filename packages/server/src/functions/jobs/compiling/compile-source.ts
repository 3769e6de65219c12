import { createHash } from "node:crypto";
import { agentHints, defaultEnvironmentSettings, egressHosts } from "@jackfield/contract";
import type { RunError } from "@jackfield/contract/runtime";
import type { WorkerRequest } from "@jackfield/functions/compile-worker";
import { findTypeChecker } from "@jackfield/functions/type-checker";
import * as z from "zod";
import { AppError, type EnvironmentContext, SECOND } from "#foundation";
import { CallError } from "#foundation/sandbox";
import { callCompiler } from "./call-compiler.ts";
import type { CompileRequest } from "./compiler-slots.ts";
import { wrapForDescription } from "./wrap-for-description.ts";

export interface SourceText {
  readonly source: string;
  /** For the names of schemas and for positions. */
  readonly integrationKey: string;
  readonly functionName: string;
}

export interface Compiled {
  readonly code: string;
  readonly sourceMap: string;
  readonly description: Description;
}

const DESCRIBE_TIMEOUT_MS = 5 * SECOND;
const START_TIMEOUT_MS = 30 * SECOND;
const DESCRIPTION_LIMIT_BYTES = 1024 * 1024;

const jsonObject = z.record(z.string(), z.unknown());
const text = z.string().max(255);
const common = {
  description: z.string().max(2000),
  version: text.optional(),
  scopes: z.array(z.string()),
  features: z.array(z.string()),
  egress: egressHosts.optional(),
  credentials: z.literal("proxy-only").optional(),
  definitions: z.record(z.string(), jsonObject),
};
const endpoints = z.array(
  z.object({
    method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    path: z.string(),
    group: z.string().optional(),
  }),
);

/** What the function's own process says of it; nothing of it is trusted before this. */
const description = z.discriminatedUnion("type", [
  z.object({
    ...common,
    type: z.literal("sync"),
    frequency: text,
    models: z.array(text),
    input: text.optional(),
    autoStart: z.boolean(),
    syncType: z.enum(["full", "incremental"]),
    trackDeletes: z.boolean(),
    onInvalidRecord: z.enum(["quarantine", "save", "fail"]).optional(),
    webhookSubscriptions: z.array(text),
    endpoints,
  }),
  z.object({
    ...common,
    type: z.literal("action"),
    input: text,
    output: text,
    agent: agentHints.optional(),
    endpoints,
  }),
  z.object({
    ...common,
    type: z.literal("on-event"),
    event: z.enum(["post-connection-creation", "pre-connection-deletion", "validate-connection"]),
  }),
]);

export type Description = z.output<typeof description>;

const answer = z.union([
  z.object({ description }),
  z.object({ problems: z.array(z.string()).min(1) }),
]);

// Process-wide: a text of this version, which no server changes.
let describer: Promise<string> | undefined;

/**
 * Checks, bundles and describes a source text: the compilers have processes of their own and run nothing of it, and
 * what the text defines is found out in the sandbox. Throws compilation_error, and `overloaded`
 * unless it `isQueued`.
 */
export async function compileSource(
  ctx: EnvironmentContext,
  source: SourceText,
  { isQueued, onStart }: Pick<CompileRequest, "isQueued" | "onStart">,
): Promise<Compiled> {
  const request: WorkerRequest = {
    op: "bundle",
    source: source.source,
    file: source.functionName,
    // It refuses to start without its declarations next to it.
    typeChecker: await ctx.sandbox.confine(requireTypeChecker(), { readsFolder: true }),
  };
  const caller = { owner: ctx.environment.id, signal: ctx.signal, isQueued, onStart };
  const bundled = await callCompiler(ctx, request, caller);
  if ("diagnostics" in bundled) throw toCompilationError(bundled.diagnostics);
  return { ...bundled, description: await describe(ctx, source, bundled.code) };
}

function requireTypeChecker(): string {
  const found = findTypeChecker();
  if (found !== undefined) return found;
  const message =
    "TypeScript's package for this system is not installed, so that no source can be checked; install with optional dependencies.";
  throw new AppError("execution_environment_unavailable", message);
}

async function describe(
  ctx: EnvironmentContext,
  { integrationKey, functionName }: SourceText,
  code: string,
): Promise<Description> {
  describer ??= loadDescriber(ctx).catch((error: unknown) => {
    describer = undefined;
    throw error;
  });
  const program = wrapForDescription({
    describer: await describer,
    code,
    subject: { integrationId: integrationKey, functionName },
  });
  const id = createHash("sha256").update(program).digest("hex");
  const outcome = await ctx.sandbox.run({
    environmentId: ctx.environment.id,
    connection: "none",
    bundle: { id, filename: `${functionName}.cjs`, code: program },
    facts: {
      kind: "action",
      functionName,
      environmentName: ctx.environment.name,
      environmentId: ctx.environment.id,
      connectionId: "",
      providerConfigKey: integrationKey,
      provider: "",
      variant: "base",
      operationId: "",
      loggerLevel: "off",
      validation: { ...defaultEnvironmentSettings.validation, input: "off", output: "off" },
      outputLimitBytes: DESCRIPTION_LIMIT_BYTES,
    },
    timeoutMs: DESCRIBE_TIMEOUT_MS,
    startTimeoutMs: START_TIMEOUT_MS,
    signal: ctx.signal,
    // No other run has this bundle; and a process is left to those that are not exclusive.
    exclusive: false,
    depth: 0,
    onCall: async () => {
      throw new CallError({ type: "script_internal_error", message: "Nothing runs yet." });
    },
  });
  if (outcome.kind === "failed") throw toFailure(outcome.error, ctx.signal);
  const reported = answer.safeParse(parse(outcome.output));
  if (!reported.success) {
    throw toCompilationError([{ message: "the function does not describe itself as one" }]);
  }
  if ("description" in reported.data) return reported.data.description;
  throw toCompilationError(reported.data.problems.map((message) => ({ message })));
}

async function loadDescriber(ctx: EnvironmentContext): Promise<string> {
  // For everyone who compiles: it does not end with the caller who happens to be first.
  const caller = { owner: "describer", isQueued: true };
  const built = await callCompiler(ctx, { op: "describer" }, caller);
  if ("code" in built) return built.code;
  throw new AppError("execution_environment_unavailable");
}

function toFailure(error: RunError, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error.type !== "overloaded") return toCompilationError([{ message: explain(error) }]);
  return new AppError("overloaded", error.message, { headers: { "Retry-After": "5" } });
}

function explain({ type, message }: RunError): string {
  if (type === "function_runtime_timed_out" || type === "execution_timeout") {
    return `the file takes longer than ${DESCRIBE_TIMEOUT_MS / SECOND} seconds to load`;
  }
  return `the file throws when it is loaded: ${message}`;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

interface Diagnostic {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

const MAX_PROBLEMS = 20;
const MAX_MESSAGE_CHARACTERS = 20_000;

function toCompilationError(diagnostics: readonly Diagnostic[]): AppError {
  const shown = diagnostics.slice(0, MAX_PROBLEMS).map(({ message, line, column }) => ({
    message: message.slice(0, 2000),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  }));
  const lines = shown.map(({ message, line, column }) =>
    line === undefined ? message : `line ${line}, column ${column}: ${message}`,
  );
  return new AppError("compilation_error", lines.join("\n").slice(0, MAX_MESSAGE_CHARACTERS), {
    details: shown,
  });
}
