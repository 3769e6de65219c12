/** What says whose connection it was, and how it stood. */
export const withoutPerson = {
  metadata: null,
  tags: "{}",
  connectionConfig: "{}",
  webhookUrlOverride: null,
  errors: "[]",
  refreshError: null,
  webhookSecret: null,
  account: null,
} as const;
