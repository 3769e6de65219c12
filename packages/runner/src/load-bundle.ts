import { compileFunction } from "node:vm";
import type { RunSchemas, ValueSchema } from "@jackfield/functions/runtime";

type Callback = (svc: unknown, input?: unknown) => unknown;

interface Bundle {
  readonly code: string;
  readonly filename: string;
}

/** A bundle's default export, as far as running it needs to know it. */
export interface Definition {
  readonly type: "sync" | "action" | "on-event";
  readonly exec: Callback;
  readonly onWebhook: Callback | undefined;
  readonly input: ValueSchema | undefined;
  readonly output: ValueSchema | undefined;
  readonly schemas: RunSchemas;
  /** Deprecated: after a run, what it has not saved is deleted. */
  readonly tracksDeletes: boolean;
  /** Whether what a run saves is to be noted from its beginning. */
  readonly notesSaves: boolean;
}

/** A bundle whose text is compiled; each call of `evaluate` makes new instances of its modules. */
export interface CompiledBundle {
  readonly evaluate: ReturnType<typeof compileFunction>;
  readonly notesSaves: boolean;
}

/** Compiles a CommonJS bundle; stack frames carry `filename`. */
export function compileBundle({ code, filename }: Bundle): CompiledBundle {
  const evaluate = compileFunction(code, ["module", "exports", "require"], { filename });
  // Bundlers keep the names of members.
  const notesSaves = code.includes("deleteRecordsFromPreviousExecutions");
  return { evaluate, notesSaves };
}

/** Runs a compiled bundle and reads its definition. */
export function loadBundle(
  bundle: CompiledBundle,
  require: (name: unknown) => unknown,
): Definition {
  const module: { exports: unknown } = { exports: {} };
  Reflect.apply(bundle.evaluate, module.exports, [module, module.exports, require]);
  const definition = readDefinition(module.exports);
  return { ...definition, notesSaves: bundle.notesSaves || definition.tracksDeletes };
}

function readDefinition(exports: unknown): Omit<Definition, "notesSaves"> {
  const definition = toFields(toFields(exports)["default"] ?? exports);
  const { exec, onWebhook } = definition;
  // The second is how the compatible platform's command line writes it.
  const type = definition["type"] === "onEvent" ? "on-event" : definition["type"];
  if ((type !== "sync" && type !== "action" && type !== "on-event") || !isCallback(exec)) {
    throw new TypeError(
      "The file's default export must be what createSync, createAction or createOnEvent returned.",
    );
  }
  return {
    type,
    exec,
    onWebhook: isCallback(onWebhook) ? onWebhook : undefined,
    input: toSchema(definition["input"]),
    output: toSchema(definition["output"]),
    schemas: {
      models: readModels(definition["models"]),
      metadata: toSchema(definition["metadata"]),
      checkpoint: toSchema(definition["checkpoint"]),
      onInvalidRecord: readOnInvalidRecord(definition["onInvalidRecord"]),
    },
    tracksDeletes: definition["trackDeletes"] === true,
  };
}

/** Bundlers export by getters, which this reads as well. */
function toFields(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function isCallback(value: unknown): value is Callback {
  return typeof value === "function";
}

function readModels(models: unknown): Record<string, ValueSchema> {
  const schemas: Record<string, ValueSchema> = {};
  for (const [name, model] of Object.entries(toFields(models))) {
    const schema = toSchema(model);
    if (schema !== undefined) schemas[name] = schema;
  }
  return schemas;
}

function readOnInvalidRecord(value: unknown): RunSchemas["onInvalidRecord"] {
  return value === "quarantine" || value === "save" || value === "fail" ? value : undefined;
}

function toSchema(value: unknown): ValueSchema | undefined {
  return isSchema(value) ? value : undefined;
}

function isSchema(value: unknown): value is ValueSchema {
  return (
    typeof value === "object" &&
    value !== null &&
    "safeParse" in value &&
    typeof value.safeParse === "function" &&
    "safeParseAsync" in value &&
    typeof value.safeParseAsync === "function"
  );
}
