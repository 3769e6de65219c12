import type { DeployedFunction } from "../deployed-function.ts";
import { toActionTool, whyNoTool } from "../tools/action-tool.ts";
import { resolveReferences } from "../tools/resolve-references.ts";
import { simpleType, toSchema } from "./schema-model.ts";

interface Parameter {
  [keyword: string]: unknown;
  type: string;
  description: string;
}

export interface Tool {
  name: string;
  description: string;
  parameters: {
    [keyword: string]: unknown;
    type: "object";
    properties: Record<string, Parameter>;
    required: string[];
  };
}

/**
 * A function in the form in which language models are shown tools, without references; undefined for an on-event
 * function and for an action that is no tool.
 */
export function presentTool(fn: DeployedFunction): Tool | undefined {
  if (fn.type === "on-event") return undefined;
  const description = fn.definition.description ?? "";
  const none = { type: "object" as const, properties: {}, required: [] };
  if (fn.type === "sync") return { name: fn.name, description, parameters: none };
  if (whyNoTool(fn) !== undefined) return undefined;
  const schema = resolveReferences(toActionTool(fn).inputSchema);
  const { oneOf, anyOf, required } = schema;
  const reported = readParameterList(description);
  const properties = Object.entries(toSchema(schema["properties"])).map(([name, given]) => {
    const own = toSchema(given);
    const text = reported.get(name) ?? own["description"];
    const shown = {
      ...own,
      type: simpleType(own),
      description: typeof text === "string" ? text : "",
    };
    return [name, shown] as const;
  });
  return {
    name: fn.name,
    description,
    parameters: {
      type: "object",
      properties: Object.fromEntries(properties),
      required: Array.isArray(required) ? required.map(String) : [],
      ...(oneOf === undefined ? {} : { oneOf }),
      ...(anyOf === undefined ? {} : { anyOf }),
    },
  };
}

/** Lines of the form `- <parameter>: <text>`. */
function readParameterList(description: string): ReadonlyMap<string, string> {
  const lines = description.matchAll(/^[ \t]*[-*][ \t]+`?([\w.$-]+)`?[ \t]*:[ \t]*(\S.*)$/gm);
  return new Map([...lines].map(([, name = "", text = ""]) => [name, text.trimEnd()]));
}
