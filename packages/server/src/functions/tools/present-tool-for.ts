import { type ActionTool, annotate } from "./action-tool.ts";

export type ToolApi = "openai" | "anthropic" | "mcp";

/** A tool as the API takes it in a request, under the given name. */
export function presentToolFor(api: ToolApi, name: string, tool: Omit<ActionTool, "fn">) {
  const { description, hints, inputSchema } = tool;
  switch (api) {
    case "openai":
      return { type: "function", name, description, parameters: inputSchema, strict: false };
    case "anthropic": {
      const { examples, ...schema } = inputSchema;
      const own = examples === undefined ? {} : { input_examples: examples };
      return { name, description, input_schema: schema, ...own };
    }
    case "mcp": {
      const title = hints.title === undefined ? {} : { title: hints.title };
      const annotations = annotate(tool);
      const has = Object.keys(annotations).length > 0;
      return { name, ...title, description, inputSchema, ...(has ? { annotations } : {}) };
    }
  }
}
