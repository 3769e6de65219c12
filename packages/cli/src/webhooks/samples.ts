const of = { from: "svc", connectionId: "acme", providerConfigKey: "crm", sequence: 1 };
const auth = {
  ...of,
  type: "auth",
  success: true,
  provider: "hubspot",
  environment: "dev",
  authMode: "OAUTH2",
  tags: { end_user_id: "user-1" },
};
const sync = {
  ...of,
  type: "sync",
  syncName: "contacts",
  syncVariant: "base",
  model: "Contact",
  syncType: "INCREMENTAL",
};

/** A body of each kind that the server sends, made for `now`. */
export function samplesAt(now: Date): Readonly<Record<string, object>> {
  const startedAt = new Date(now.getTime() - 60_000).toISOString();
  const ended = {
    ...sync,
    success: true,
    modifiedAfter: startedAt,
    queryTimeStamp: startedAt,
    responseResults: { added: 2, updated: 1, deleted: 0 },
  };
  return {
    "auth.creation": { ...auth, operation: "creation" },
    "auth.override": { ...auth, operation: "override" },
    "auth.refresh": {
      ...auth,
      operation: "refresh",
      success: false,
      error: { type: "invalid_credentials", description: "The provider refuses the token." },
    },
    sync: ended,
    "sync.failure": {
      ...sync,
      success: false,
      error: { type: "script_error", description: "The function raised an error." },
      startedAt,
      failedAt: now.toISOString(),
    },
    "sync.webhook": { ...ended, syncType: "WEBHOOK" },
    async_action: {
      ...of,
      type: "async_action",
      payload: {
        id: "0198c0de-0000-7000-8000-000000000000",
        statusUrl: "/action/0198c0de-0000-7000-8000-000000000000",
      },
    },
    forward: {
      from: "hubspot",
      type: "forward",
      connectionId: "acme",
      providerConfigKey: "crm",
      payload: { event: "contact.updated", id: 42 },
    },
  };
}

export const sampleKinds = Object.keys(samplesAt(new Date(0)));
