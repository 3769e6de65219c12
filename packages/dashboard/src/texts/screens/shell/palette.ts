/** Finding screens and things by a few letters, or by an id. */
const english = {
  placeholder: "Screen, connection, integration, function, or an id",
  empty: "Nothing matches.",
  searching: "Searching …",
  nothingHasId: (id: string) => `Nothing here has the id ${id}.`,
  searchedFor:
    "Searched: operations of all your environments, and problems, webhooks, syncs and their latest runs, revocations, agent sessions, approvals and destinations of this one.",
  kinds: {
    connection: "Connection",
    integration: "Integration",
    function: "Function",
    operation: "Operation",
    problem: "Problem",
    delivery: "Webhook out",
    webhook: "Webhook in",
    sync: "Sync",
    run: "Run",
    revocation: "Revocation",
    session: "Agent session",
    approval: "Approval",
    destination: "Destination",
  },
  openId: (kind: string, id: string) => `${kind} ${id}`,
};

/** Loaded with the palette. */
export const paletteTexts = { english };
