import { counted } from "../counted.ts";

/** OpenAPI documents of integrations, whose operations are tools of agents. */
const english = {
  title: "API as tools",
  add: "Add a document",
  replace: "Replace",
  remove: "Remove",
  removeTitle: "Remove the OpenAPI document",
  removeDo: "Remove the document",
  removeText: "Its operations are no longer tools of agents.",
  sendTitle: "Make the operations of an OpenAPI document tools",
  formText:
    "The operations become tools of agents at once, without code. Calls go to the host of the connection, also where the document names another.",
  file: "File",
  source: "The document is",
  ways: { file: "on this computer", text: "text to paste", url: "at an address" },
  pasted: "Text of the document",
  pastedHelp: "JSON or YAML, up to 16 MiB.",
  url: "Address",
  urlHelp: "The server fetches it once, now.",
  include: "Only these operations",
  includeHelp: "Operation ids, names of tools, GET /path, or tags, one per line. Empty: all.",
  exclude: "Not these operations",
  excludeHelp: "The same names, one per line.",
  effects: "Effects",
  effectsHelp:
    "What an operation does, where its method does not say it, one per line: searchContacts=read",
  send: "Make tools",
  none: "No OpenAPI document",
  noneText: "Add one, and its operations become tools of agents, without code.",
  count: (count: string) =>
    `${counted(count, "operation")} ${count === "1" ? "is a tool" : "are tools"}.`,
  excluded: (count: string) => `${count} not chosen.`,
  search: "Search operations",
  operations: "Operations that are tools",
  tool: "Tool",
  request: "Request",
  effect: "Effect",
  tokens: "Tokens",
  hidden: "(an action has its name)",
  more: (count: string) => `and ${count} more: search for them.`,
  moreLeftOut: (count: string) => `and ${count} more that are not tools.`,
  leftOut: "Not tools",
  reason: "Reason",
};

/** Loaded with the screens that show them. */
export const apiDocumentTexts = { english };
