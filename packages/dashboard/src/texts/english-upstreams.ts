import { counted } from "./counted.ts";

/** The tools that an integration has of another MCP server. */
export const english = {
  title: "Tools of its MCP server",
  text: "What the server says of its tools is text of a stranger. Agents see the tools that are allowed, in the very version that was allowed.",
  noneTitle: "No list was read yet",
  noneText: "Connect an account, or read the list with one that is connected.",
  refresh: "Read the list",
  allowAll: "Allow all that are new",
  allowReads: "Allow those that say they only read",
  accept: "Allow",
  acceptChange: "Accept the change",
  refuse: "Refuse",
  failed: (failure: string) => `The list could not be read last: ${failure}`,
  effect: (effect: string) => `counts as ${effect}`,
  changes: (count: string) => counted(count, "change"),
  before: "Before",
  after: "Now",
  missing: "not there",
  inputs: "Arguments",
  decided: (tool: string) => `Decided about ${tool}`,
  states: {
    new: "new",
    allowed: "allowed",
    changed: "changed",
    refused: "refused",
    gone: "gone",
  },
  effects: { read: "reading", write: "writing", destructive: "destroying" },
};
