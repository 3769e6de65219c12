import {
  checkValue,
  createSvc,
  ExecutionInterrupted,
  type Run,
  RunFailure,
  trackDeletesEnd,
  trackDeletesStart,
} from "@jackfield/functions/runtime";
import type { Definition } from "./load-bundle.ts";

export interface RunOutcome {
  readonly interrupted: boolean;
  /** The action's output as JSON; empty for undefined and for every other kind. */
  readonly output: Uint8Array;
}

const NO_BYTES = new Uint8Array(0);
/** Kept from the start, for a function may put another in its place; frozen is what it does. */
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Runs a definition once; throws what the function threw, or a RunFailure about its input or output. */
export async function executeRun(
  definition: Definition,
  run: Run,
  input: Uint8Array,
): Promise<RunOutcome> {
  try {
    return { interrupted: false, output: await callDefinition(definition, run, input) };
  } catch (error) {
    if (error instanceof ExecutionInterrupted) return { interrupted: true, output: NO_BYTES };
    throw error;
  }
}

async function callDefinition(
  definition: Definition,
  run: Run,
  input: Uint8Array,
): Promise<Uint8Array> {
  const { kind, functionName } = run.facts;
  const expected = kind === "webhook" ? "sync" : kind;
  if (definition.type !== expected) {
    throw new Error(`Function "${functionName}" is of type ${definition.type}, not ${expected}.`);
  }
  if (kind === "action") return callAction(definition, run, input);
  const svc = createSvc(run);
  if (kind !== "webhook") {
    await callSync(definition, run, svc);
    return NO_BYTES;
  }
  if (definition.onWebhook === undefined) {
    throw new Error(`Sync "${functionName}" got a webhook but has no onWebhook function.`);
  }
  await definition.onWebhook(svc, parseInput(input));
  return NO_BYTES;
}

/** A sync, or an on-event function, which notes nothing. */
async function callSync(definition: Definition, run: Run, svc: unknown): Promise<void> {
  const models = Object.keys(definition.schemas.models);
  if (definition.notesSaves) for (const model of models) await trackDeletesStart(run, model);
  await definition.exec(svc);
  if (run.refusal !== undefined) throw run.refusal;
  if (definition.tracksDeletes) for (const model of models) await trackDeletesEnd(run, model);
}

async function callAction(definition: Definition, run: Run, body: Uint8Array): Promise<Uint8Array> {
  const input = parseInput(body);
  await checkValue(run, {
    what: "input",
    label: "The input",
    schema: definition.input,
    value: input,
    failureType: "invalid_action_input",
  });
  const output = await definition.exec(createSvc(run), input);
  await checkValue(run, {
    what: "output",
    label: "The output",
    schema: definition.output,
    value: output,
    failureType: "invalid_action_output",
  });
  return encodeOutput(output, run.facts.outputLimitBytes);
}

function parseInput(body: Uint8Array): unknown {
  return body.byteLength === 0 ? undefined : JSON.parse(decoder.decode(body));
}

function encodeOutput(output: unknown, limitBytes: number): Uint8Array {
  if (output === undefined) return NO_BYTES;
  const encoded = encoder.encode(stringifyOutput(output));
  if (encoded.byteLength <= limitBytes) return encoded;
  throw new RunFailure({
    type: "script_output_too_large",
    message: `The output is ${encoded.byteLength} bytes of JSON; at most ${limitBytes} are allowed. Return less, or save records in a sync.`,
  });
}

function stringifyOutput(output: unknown): string {
  const text = tryStringify(output);
  if (text !== undefined) return text;
  throw new TypeError(`The output is a ${typeof output}, which is no JSON value.`);
}

function tryStringify(output: unknown): string | undefined {
  try {
    return JSON.stringify(output);
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
    throw new TypeError(`The output cannot be written as JSON: ${reason}`, { cause });
  }
}
