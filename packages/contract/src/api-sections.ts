/** A part of the API, as readers look for it. */
export interface ApiSection {
  readonly name: string;
  readonly description: string;
  /**
   * First words of the paths that belong to it, or the first two where another section has the rest; `*` for a
   * parameter before the third.
   */
  readonly paths: readonly string[];
}

/** In the order in which somebody who begins needs them. */
export const apiSections: readonly ApiSection[] = [
  {
    name: "integrations",
    description: "Configured providers: an OAuth client, or settings, under a key of yours.",
    paths: ["integrations", "config", "simulator"],
  },
  {
    name: "connect",
    description: "Sessions in which an end user connects, and the hosted page.",
    paths: ["connect"],
  },
  {
    name: "connections",
    description: "What end users have connected: credentials, tags, metadata.",
    paths: ["connections", "connection", "bulk"],
  },
  {
    name: "end users",
    description: "Erasing what belongs to one end user.",
    paths: ["end-users", "erasures"],
  },
  {
    name: "old platforms",
    description:
      "Platforms that connections move away from: read through, handed over, given back.",
    paths: ["old-platforms"],
  },
  {
    name: "revocations",
    description: "Freezing connections at once and withdrawing their tokens, with signed reports.",
    paths: ["revocations", "revocation-keys"],
  },
  {
    name: "proxy",
    description: "Calls to a provider's API with a connection's credentials.",
    paths: ["proxy", "proxy-requests", "rate-limits"],
  },
  {
    name: "functions",
    description: "Functions that are deployed, and ways to deploy and try them.",
    paths: ["functions", "scripts", "deployments"],
  },
  {
    name: "functions of an integration",
    description: "Deployed functions of one integration, their versions, and what they sent where.",
    paths: ["integrations/*/functions"],
  },
  {
    name: "canaries",
    description: "Deployments that some connections try before all others get them.",
    paths: ["canaries"],
  },
  {
    name: "tapes",
    description: "Recorded runs of functions, and which runs are recorded.",
    paths: ["operations", "tapes", "tape-rules"],
  },
  {
    name: "syncs and records",
    description: "Syncs on their schedules, and the records that they saved.",
    paths: ["sync", "syncs", "runs", "records"],
  },
  {
    name: "quarantined records",
    description: "Records that did not match their schema and were not saved.",
    paths: ["records/quarantine"],
  },
  {
    name: "drift of records",
    description: "Fields of saved records that differ from their schema, or from before.",
    paths: ["records/drift"],
  },
  {
    name: "history of records",
    description: "Models of which earlier versions of records are kept.",
    paths: ["records/history"],
  },
  {
    name: "destinations",
    description: "Tables and buckets of your own to which changes of records are delivered.",
    paths: ["records/destinations"],
  },
  {
    name: "sql access",
    description: "A read-only login of the database with a view for each model of records.",
    paths: ["records/sql-access"],
  },
  {
    name: "actions",
    description: "Functions that are called on demand.",
    paths: ["action", "v1"],
  },
  {
    name: "agents",
    description:
      "Actions as tools of language models: toolsets, sessions for one end user, and how clients are let in.",
    paths: ["agent", "mcp", ".well-known"],
  },
  {
    name: "tools of other MCP servers",
    description:
      "Tools that integrations have of MCP servers: which are allowed, and what has changed; and OpenAPI documents whose operations are tools without code.",
    paths: ["integrations/*/openapi", "agent/upstreams", "mcp/connections"],
  },
  {
    name: "toolsets",
    description: "Which tools agents have.",
    paths: ["agent/toolsets"],
  },
  {
    name: "calls of agents",
    description: "What agents have called, what a person has to approve, and stopping them.",
    paths: ["agent/calls", "agent/approvals", "agent/stop"],
  },
  {
    name: "webhooks",
    description: "Webhooks that go to you, and the addresses that providers send theirs to.",
    paths: ["webhooks", "webhook"],
  },
  {
    name: "inbox",
    description: "Webhooks that providers have sent, and how they arrive.",
    paths: ["webhooks/inbox"],
  },
  {
    name: "environments",
    description: "Environments, their settings and variables.",
    paths: ["environments", "environment", "environment-variables"],
  },
  {
    name: "API keys",
    description: "Keys of environments and of the account.",
    paths: ["environment/api-keys", "account"],
  },
  {
    name: "audit",
    description: "Who changed what and who read credentials; its export and its seal.",
    paths: ["audit"],
  },
  {
    name: "people",
    description: "Who signs in, how, and what they may do; pages of the same origin call these.",
    paths: [
      "auth/state",
      "auth/setup",
      "auth/password",
      "auth/passkeys",
      "auth/totp",
      "auth/links",
      "auth/oidc",
      "auth/sign-out",
      "me",
      "users",
      "accounts",
      "account-erasures",
      "account/sso",
      "account/sign-in-rules",
    ],
  },
  {
    name: "providers",
    description: "What can be integrated: the catalogue, and providers of your own.",
    paths: ["providers", "custom-providers", "providers.json", "provider-stages", "images"],
  },
  {
    name: "logs",
    description: "What has happened, its messages, and counts of it.",
    paths: ["logs", "metrics", "events"],
  },
  {
    name: "problems",
    description: "What is wrong in an environment, one for each cause.",
    paths: ["problems"],
  },
  {
    name: "authorization",
    description: "What browsers call while an end user connects; the frontend package does it.",
    paths: ["oauth", "oauth2", "auth", "api-auth", "app-auth"],
  },
  {
    name: "installation",
    description: "Health, how the installation does, and this description.",
    paths: ["", "installation", "health", "ready", "openapi.json", "docs", "dashboard", "cli"],
  },
];

/** The section of a path; throws for one that has none yet. */
export function sectionOf(path: string): ApiSection {
  const [, word = "", next = "", last = ""] = path.split("/");
  const section =
    apiSections.find(({ paths }) => paths.includes(`${word}/*/${last}`)) ??
    apiSections.find(({ paths }) => paths.includes(`${word}/${next}`)) ??
    apiSections.find(({ paths }) => paths.includes(word));
  if (section === undefined) throw new Error(`no section of the API lists paths under /${word}`);
  return section;
}
