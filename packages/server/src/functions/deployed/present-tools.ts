import type { DeployedFunction } from "../deployed-function.ts";
import { listFields, simpleType, toSchema } from "./schema-model.ts";

export interface Tool {
  name: string;
  description: string;
  parameters: {
    type: "object";
    properties: Record<
      string,
      { type: string; description: string; items?: { type: string } | undefined }
    >;
    required: string[];
  };
}

/** A function in the form in which language models are told of tools; undefined for an on-event function. */
export function presentTool(fn: DeployedFunction): Tool | undefined {
  if (fn.type === "on-event") return undefined;
  const description = fn.definition.description ?? "";
  const none = { type: "object" as const, properties: {}, required: [] };
  if (fn.type === "sync") return { name: fn.name, description, parameters: none };
  const { input, jsonSchema } = fn.definition;
  const fields = listFields(input === undefined ? undefined : jsonSchema[input]);
  const reported = readParameterList(description);
  return {
    name: fn.name,
    description,
    parameters: {
      type: "object",
      properties: Object.fromEntries(
        fields.map(({ name, schema }) => {
          const type = simpleType(schema);
          const own = schema["description"];
          const text = reported.get(name) ?? (typeof own === "string" ? own : "");
          const items = { type: simpleType(toSchema(schema["items"])) };
          return [name, { type, description: text, ...(type === "array" ? { items } : {}) }];
        }),
      ),
      required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    },
  };
}

/** Lines of the form `- <parameter>: <text>`. */
function readParameterList(description: string): ReadonlyMap<string, string> {
  const lines = description.matchAll(/^[ \t]*[-*][ \t]+`?([\w.$-]+)`?[ \t]*:[ \t]*(\S.*)$/gm);
  return new Map([...lines].map(([, name = "", text = ""]) => [name, text.trimEnd()]));
}
