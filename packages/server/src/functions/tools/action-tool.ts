import type { AgentHints } from "@jackfield/contract";
import type { DeployedAction } from "../deployed-function.ts";
import { type JsonSchema, slimSchema, standAlone } from "./slim-schema.ts";

/** An object schema, as protocols of tools ask for. */
export type ObjectSchema = JsonSchema & { readonly type: "object" };

/** An action in the form in which language models are shown tools. */
export interface ActionTool {
  readonly fn: DeployedAction;
  readonly description: string;
  readonly hints: AgentHints;
  readonly inputSchema: ObjectSchema;
  /** Of an action that answers an object; undefined for any other, and where the author says nothing. */
  readonly outputSchema: ObjectSchema | undefined;
  /** `none`: the action takes no input; `value`: the tool's argument `value` is the action's input. */
  readonly wrapping: "none" | "object" | "value";
}

const NO_INPUT = { type: "object", properties: {}, additionalProperties: false } as const;

/** A tool without the action behind it, as far as there is one. */
export type ShownTool = Omit<ActionTool, "fn">;

/** Any enabled action is a tool, unless its author keeps it from being one. */
export function toActionTool(fn: DeployedAction): ActionTool {
  const { description = "", input, models, jsonSchema, agent: hints = {} } = fn.definition;
  const schema = input === undefined ? undefined : jsonSchema[input];
  const [output] = models;
  const answered = output === undefined ? undefined : jsonSchema[output];
  const isOutputObject =
    answered !== undefined && hints.output !== "content" && isObject(answered, jsonSchema);
  return {
    ...{ fn, description, hints },
    ...toInput(schema, jsonSchema, hints),
    outputSchema: isOutputObject
      ? { ...slimSchema(standAlone(answered, jsonSchema)), type: "object" }
      : undefined,
  };
}

/** Why an action is not offered as a tool; undefined for one that is. */
export function whyNoTool(fn: DeployedAction): "disabled" | "not_exposed" | undefined {
  if (!fn.enabled) return "disabled";
  return fn.definition.agent?.expose === false ? "not_exposed" : undefined;
}

/** The action's input of what a tool was called with. */
export function toActionInput({ wrapping }: Pick<ActionTool, "wrapping">, given: unknown): unknown {
  const args: Record<string, unknown> = { ...Object(given) };
  if (wrapping === "none") return undefined;
  return wrapping === "value" ? args["value"] : args;
}

/** Annotations of the Model Context Protocol. What the author does not say stays out: clients then assume the worst. */
export function annotate({ hints }: Pick<ActionTool, "hints">) {
  const { effect, idempotent, openWorld, sends, title } = hints;
  const reaches = openWorld ?? (sends === "external" ? true : undefined);
  return {
    ...(title === undefined ? {} : { title }),
    ...(effect === undefined
      ? {}
      : { readOnlyHint: effect === "read", destructiveHint: effect === "destructive" }),
    ...(idempotent === undefined ? {} : { idempotentHint: idempotent }),
    ...(reaches === undefined ? {} : { openWorldHint: reaches }),
  };
}

function toInput(
  schema: JsonSchema | undefined,
  all: Readonly<Record<string, JsonSchema>>,
  { examples }: AgentHints,
): Pick<ActionTool, "inputSchema" | "wrapping"> {
  if (schema === undefined || schema["type"] === "null") {
    return { inputSchema: NO_INPUT, wrapping: "none" };
  }
  const shown = slimSchema(standAlone(schema, all));
  if (isObject(schema, all)) {
    const own = examples === undefined ? {} : { examples };
    return { inputSchema: { ...shown, type: "object", ...own }, wrapping: "object" };
  }
  const { definitions, ...value } = shown;
  const own = examples === undefined ? {} : { examples: examples.map((each) => ({ value: each })) };
  const inputSchema = {
    ...{ type: "object" as const, properties: { value }, required: ["value"] },
    ...(definitions === undefined ? {} : { definitions }),
    ...own,
  };
  return { inputSchema, wrapping: "value" };
}

const DEEPEST_REFERENCE = 20;

/** Whether each value of the schema is an object: also of a union of objects, and behind references. */
function isObject(
  schema: JsonSchema,
  all: Readonly<Record<string, JsonSchema>>,
  depth = 0,
): boolean {
  if (depth > DEEPEST_REFERENCE) return false;
  const { type, $ref: reference } = schema;
  if (type !== undefined) return type === "object";
  if (typeof reference === "string") {
    const named = all[reference.slice("#/definitions/".length)];
    return named !== undefined && isObject(named, all, depth + 1);
  }
  if ("properties" in schema) return true;
  const parts = [schema["anyOf"], schema["oneOf"]].find(Array.isArray);
  if (parts !== undefined) {
    return parts.length > 0 && parts.every((part) => isObject(Object(part), all, depth + 1));
  }
  const { allOf } = schema;
  return Array.isArray(allOf) && allOf.some((part) => isObject(Object(part), all, depth + 1));
}
