import { counted } from "../counted.ts";

/** The page of a function: how it runs, who calls it, and what it needs. */
const english = {
  figures: "How it runs",
  range: "Time",
  runs: "Runs",
  failed: "Failed",
  failedOf: (share: string, count: string) => `${share} (${count})`,
  median: "Half of them within",
  slow: "95% of them within",
  none: "No run has ended in this time.",
  callers: "Who may call it",
  api: "API keys",
  apiText: (path: string) => `with environment:actions:execute, by ${path}`,
  mcp: "MCP clients",
  mcpText: (path: string) => `with environment:mcp, as a tool of ${path}`,
  agents: "Agents",
  agentsText: "in sessions of a toolset that selects it",
  endpoints: "Legacy endpoints",
  isDisabled: "While it is disabled, nobody can.",
  scopes: "OAuth scopes that it needs",
  scope: "Scope",
  granted: "Granted by",
  lacking: "Missing for",
  scopesText: (known: string, unknown: string) =>
    `Of the latest ${counted(known, "connection")} whose provider says which scopes it granted. It does not say so for ${unknown}.`,
  noneKnown: "No provider has said which scopes it granted.",
  more: (count: string) => `and ${count} more`,
  line: (line: number) => `Line ${line}`,
  failedAt: "Where it failed",
  failedAtText: "Positions in your source; a link leads to the line in the version that runs now.",
};

/** Loaded with the screens that show them. */
export const functionPageTexts = { english };
