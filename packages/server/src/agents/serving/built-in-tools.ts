import * as z from "zod";
import { describeReader } from "#mcp";
import { codeInput, codeTool } from "../code/code-tool.ts";

/** Inputs of the tools that are the same for every session: fixed texts in a fixed order, which caches of prompts keep. */
export const findInput = z.strictObject({
  query: z.string().min(1).max(500).describe("What the tool should do, and for which service"),
  integration: z.string().max(255).optional().describe("Only tools of this integration"),
  limit: z.int().min(1).max(20).default(5).describe("Tools at most"),
});

export const describeInput = z.strictObject({
  names: z.array(z.string().max(64)).min(1).max(10).describe("Names from find_tools"),
  form: z.enum(["schema", "typescript"]).default("schema"),
});

export const callInput = z.strictObject({
  name: z.string().max(64).describe("Name from find_tools"),
  account: z.string().max(255).optional().describe("Which account, where there are several"),
  input: z.record(z.string(), z.unknown()).default({}).describe("As the tool's schema says"),
});

export const accountsInput = z.strictObject({});

const names = {
  find: "find_tools",
  describe: "describe_tools",
  read: "read_tool",
  write: "write_tool",
  result: "read_result",
  accounts: "accounts",
  code: codeTool.name,
} as const;

export { names as builtInNames };

const accountsTool = {
  name: names.accounts,
  description: "Lists the user's accounts, and integrations that are not connected.",
  inputSchema: toSchema(accountsInput),
  annotations: { title: "List accounts", readOnlyHint: true, openWorldHint: false },
};

/** What a client is shown in search mode. */
export const searchTools = [
  {
    name: names.find,
    description:
      "Finds tools by what they do. Answers name, signature, effect and accounts of the best ones. Begin here.",
    inputSchema: toSchema(findInput),
    annotations: { title: "Find tools", readOnlyHint: true, openWorldHint: false },
  },
  {
    name: names.describe,
    description:
      "Gives the full description and schema of tools. Needed only where the signature is not enough.",
    inputSchema: toSchema(describeInput),
    annotations: { title: "Describe tools", readOnlyHint: true, openWorldHint: false },
  },
  {
    name: names.read,
    description: "Calls a tool whose effect is read.",
    inputSchema: toSchema(callInput),
    annotations: { title: "Call a tool that reads", readOnlyHint: true },
  },
  {
    name: names.write,
    description: "Calls any tool, also one that writes or destroys.",
    inputSchema: toSchema(callInput),
    annotations: { title: "Call a tool", readOnlyHint: false, destructiveHint: true },
  },
  describeReader(names.result),
  accountsTool,
];

/** What a client is shown in code mode: those of search, before what reads and lists, and one that runs scripts. */
export const codeTools = [
  ...searchTools.slice(0, -2),
  { ...codeTool, inputSchema: toSchema(codeInput) },
  ...searchTools.slice(-2),
];

/** What a client is shown in direct mode besides the tools themselves. */
export const directTools = [describeReader(names.result), accountsTool];

export const searchInstructions =
  "Call find_tools first, then read_tool for tools with the effect read and write_tool for others. Where a tool has several accounts, ask the user which one is meant.";

export const codeInstructions =
  "Call find_tools first. For one call use read_tool or write_tool; for several, or to work on long results, run_code. Where a tool has several accounts, ask the user which one is meant.";

function toSchema(schema: z.ZodType): { type: "object" } {
  const {
    $schema: _,
    additionalProperties: __,
    ...shown
  } = z.toJSONSchema(schema, { io: "input" });
  return { ...shown, type: "object" };
}
