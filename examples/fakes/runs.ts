/** The runs that are recorded: what to add to `jackfield dryrun <function> acme`. */
export const runs: readonly { readonly fn: string; readonly options: readonly string[] }[] = [
  { fn: "hubspot/contacts", options: [] },
  { fn: "hubspot/deals", options: ["--metadata", '{"closedStages":["closedlost"]}'] },
  { fn: "hubspot/deals", options: ["--variant", "renewals", "--metadata", "{}"] },
  {
    fn: "hubspot/create-contact",
    options: ["--input", '{"email":"new@example.com","firstName":"New"}'],
  },
  {
    fn: "hubspot/create-contact",
    options: ["--input", '{"email":"ada.1001@example.com"}', "--case", "exists already"],
  },
  { fn: "hubspot/check-account", options: [] },
  { fn: "github/issues", options: [] },
  {
    fn: "github/issues",
    options: ["--checkpoint", '{"since":"2026-01-15T12:00:00Z"}', "--case", "since a checkpoint"],
  },
  {
    fn: "github/issues",
    options: ["--webhook", "--input", "@fakes/payloads/issue-edited.json"],
  },
  {
    fn: "github/issues",
    options: ["--webhook", "--input", "@fakes/payloads/issue-deleted.json", "--case", "deleted"],
  },
  {
    fn: "github/create-issue",
    options: [
      "--input",
      '{"owner":"acme","repo":"rockets","title":"It is slow","labels":["speed"]}',
    ],
  },
  { fn: "github/register-webhook", options: [] },
  { fn: "xero/invoices", options: [] },
  {
    fn: "xero/invoices",
    options: [
      "--checkpoint",
      '{"page":2,"since":"","newest":"2026-01-04T09:30:00"}',
      "--case",
      "from the second page",
    ],
  },
  { fn: "xero/accounts", options: [] },
  { fn: "stripe/charges", options: [] },
  {
    fn: "stripe/charges",
    options: ["--last-sync-date", "2025-12-31T00:00:00Z", "--case", "since a date"],
  },
  { fn: "stripe/create-refund", options: ["--input", '{"charge":"ch_898","amount":500}'] },
  { fn: "google-drive/files", options: [] },
  { fn: "google-drive/download-file", options: ["--input", '{"id":"1aBcD"}'] },
  {
    fn: "google-drive/download-file",
    options: ["--input", '{"id":"4mNoP"}', "--case", "too large"],
  },
];
