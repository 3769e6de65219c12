import { counted } from "../counted.ts";

/** The tools that an integration has of another MCP server. */
const english = {
  title: "Tools of its MCP server",
  text: "Descriptions of tools come from that server, so do not trust them blindly. Agents see only tools that you allowed, in exactly the version that you allowed.",
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
  server: "Server",
  address: "Address",
  protocol: "Protocol",
  protocols: { modern: "revision 2026-07-28", legacy: "an earlier revision" },
  isPublic: "List",
  isPublicText: "the same for all connections",
  read: "Read last",
  until: "Read again from",
  search: "Search tools",
  state: "State",
  more: (count: string) => `and ${count} more: search for them.`,
  countsAs: "It counts as",
  countsAsHelp: "Never as less than what its server admits.",
  sends: "What it is given may reach others",
  states: {
    new: "new",
    allowed: "allowed",
    changed: "changed",
    refused: "refused",
    gone: "gone",
  },
  effects: { read: "reading", write: "writing", destructive: "destroying" },
};

/** Loaded with the screens that show them. */
export const upstreamTexts = { english };
