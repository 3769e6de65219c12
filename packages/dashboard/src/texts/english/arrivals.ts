/** How webhooks of the provider arrive for a connection. */
export const english = {
  title: "Webhooks of the provider",
  received: "Received",
  duplicates: "Duplicates",
  last: "Last one",
  expected: "The next within",
  learning: "not known yet",
  silent: "None since",
  missing: "Numbers missing",
  which: "The latest of them",
  reconciliation: "Missed by webhooks",
  reconciliationText:
    "Changes that scheduled runs of syncs found although no webhook had brought them, by day (UTC).",
  day: "Day",
  model: "Model",
  brought: "Changes by webhooks",
  missed: "Missed",
};
