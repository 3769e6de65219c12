export interface Group {
  readonly title: string;
  /** Pages by the name of their file, with the words that the page tree shows. */
  readonly pages: readonly (readonly [page: string, title: string])[];
}

/** The page tree, in the order in which somebody who begins reads it. */
export const groups: readonly Group[] = [
  {
    title: "Get started",
    pages: [
      ["quick-start", "Quick start"],
      ["concepts", "Concepts"],
      ["glossary", "Glossary"],
    ],
  },
  {
    title: "First OAuth integration",
    pages: [
      ["first-integration/github", "GitHub"],
      ["first-integration/hubspot", "HubSpot"],
      ["first-integration/google", "Google"],
      ["first-integration/slack", "Slack"],
      ["first-integration/salesforce", "Salesforce"],
      ["first-integration/microsoft", "Microsoft"],
    ],
  },
  {
    title: "Guides",
    pages: [
      ["connect", "Let end users connect"],
      ["connections", "Manage connections"],
      ["revocations", "Revoke connections"],
      ["proxy", "Call a provider's API"],
      ["syncs", "Sync data on a schedule"],
      ["records", "Read what was synced"],
      ["sql-access", "Read records with SQL"],
      ["webhooks", "React to webhooks"],
      ["functions", "Write functions"],
      ["egress", "Egress of functions"],
      ["tapes", "Record and replay runs"],
      ["openapi", "Actions from an OpenAPI document"],
      ["go", "Call the API from Go"],
      ["deployments", "Deploy functions"],
      ["agents", "Tools for language models"],
      ["agent-scripts", "Scripts of agents"],
      ["mcp-servers", "Tools of other MCP servers"],
      ["coding-agents", "Work with a coding agent"],
      ["simulator", "Test against simulated providers"],
      ["production", "Go to production"],
      ["dashboard", "Dashboard"],
      ["observability", "Watch it"],
      ["backup", "Back up and restore"],
      ["upgrading", "Upgrade"],
      ["migrate-from-nango", "Migrate from Nango"],
    ],
  },
  {
    title: "Reference",
    pages: [
      ["api", "API by subject"],
      ["cli", "Command line"],
      ["configuration", "Settings"],
      ["errors", "Errors"],
      ["api-keys", "API keys and scopes"],
      ["audit", "Audit log"],
      ["people", "People, sign-in and roles"],
      ["privacy", "Personal data"],
      ["auth-modes", "Auth modes"],
      ["limits", "Limits of requests"],
      ["logs", "Logs"],
      ["catalogue", "Provider entries"],
      ["providers/index", "All providers"],
      ["compatibility", "Compatibility"],
    ],
  },
  {
    title: "Explanations",
    pages: [
      ["promises", "What it promises"],
      ["outages", "Database outages"],
      ["fair-shares", "Fair shares"],
      ["scale", "Beyond one database server"],
      ["vault", "Encryption of secrets"],
      ["decisions/index", "Decisions"],
    ],
  },
];
