import { compileFunction } from "node:vm";
import type { RunSchemas, ValueSchema } from "@jackfield/functions/runtime";

type Callback = (svc: unknown, input?: unknown) => unknown;

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

/** Runs a CommonJS bundle and reads its definition; stack frames carry `filename`. */
export function loadBundle(bundle: {
  code: string;
  filename: string;
  require: (name: unknown) => unknown;
}): Definition {
  const evaluate = compileFunction(bundle.code, ["module", "exports", "require"], {
    filename: bundle.filename,
  });
  const module: { exports: unknown } = { exports: {} };
  Reflect.apply(evaluate, module.exports, [module, module.exports, bundle.require]);
  const definition = readDefinition(module.exports);
  // Bundlers keep the names of members.
  const notesSaves = bundle.code.includes("deleteRecordsFromPreviousExecutions");
  return { ...definition, notesSaves: notesSaves || definition.tracksDeletes };
}

function readDefinition(exports: unknown): Omit<Definition, "notesSaves"> {
  const definition = toFields(toFields(exports)["default"] ?? exports);
  const { type, exec, onWebhook } = definition;
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
