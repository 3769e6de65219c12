import type { Jackfield } from "../index.ts";

/** Those of environments, keys, sessions and settings. */
export const environmentCalls: readonly [
  string,
  (client: Jackfield) => Promise<unknown>,
  string,
  unknown?,
][] = [
  ["environments.list", (j) => j.environments.list(), "GET /environments"],
  [
    "environments.create",
    (j) => j.environments.create({ name: "staging" }),
    "POST /environments",
    { name: "staging" },
  ],
  ["environments.delete", (j) => j.environments.delete("e 1"), "DELETE /environments/e%201"],
  [
    "apiKeys.list",
    (j) => j.apiKeys.list({ environment_id: "e" }),
    "GET /environment/api-keys?environment_id=e",
  ],
  [
    "apiKeys.create",
    (j) => j.apiKeys.create({ display_name: "ci", scopes: ["environment:deploy"] }),
    "POST /environment/api-keys",
    { display_name: "ci", scopes: ["environment:deploy"] },
  ],
  [
    "apiKeys.update",
    (j) => j.apiKeys.update({ key_id: "k", expires_at: null }),
    "PATCH /environment/api-keys",
    { key_id: "k", expires_at: null },
  ],
  [
    "apiKeys.delete",
    (j) => j.apiKeys.delete({ key_id: "k" }),
    "DELETE /environment/api-keys",
    { key_id: "k" },
  ],
  [
    "connectSessions.list",
    (j) => j.connectSessions.list({ is_open: true }),
    "GET /connect/sessions?is_open=true",
  ],
  ["connectSessions.end", (j) => j.connectSessions.end("s"), "DELETE /connect/sessions/s"],
  [
    "sendProxyRequest",
    (j) => j.sendProxyRequest({ provider_config_key: "crm", connection_id: "c 1", path: "/me" }),
    "POST /proxy-requests",
    { provider_config_key: "crm", connection_id: "c 1", path: "/me" },
  ],
  ["environment.get", (j) => j.environment.get(), "GET /environment"],
  [
    "environments.update",
    (j) => j.environments.update("e", { name: "qa" }),
    "PATCH /environments/e",
    { name: "qa" },
  ],
  [
    "audit.listEvents",
    (j) => j.audit.listEvents({ outcome: "refused" }),
    "GET /audit?outcome=refused",
  ],
  [
    "audit.exportEvents",
    (j) => j.audit.exportEvents({ format: "csv" }),
    "GET /audit/export?format=csv",
  ],
  [
    "webhookSettings.revealSigningKeys",
    (j) => j.webhookSettings.revealSigningKeys(),
    "POST /environment/webhooks/reveal",
  ],
  ["variables.reveal", (j) => j.variables.reveal("A"), "POST /environment-variables/A/reveal"],
  [
    "audit.listCredentialReads",
    (j) => j.audit.listCredentialReads({ connection_id: "acme" }),
    "GET /audit/credential-reads?connection_id=acme",
  ],
  ["audit.getHead", (j) => j.audit.getHead(), "GET /audit/head"],
  [
    "apiKeys.replace",
    (j) => j.apiKeys.replace({ key_ids: ["k"], grace_seconds: 60 }),
    "POST /environment/api-keys/replace",
    { key_ids: ["k"], grace_seconds: 60 },
  ],
  ["accountApiKeys.list", (j) => j.accountApiKeys.list(), "GET /account/api-keys"],
  [
    "accountApiKeys.create",
    (j) => j.accountApiKeys.create({ display_name: "ops" }),
    "POST /account/api-keys",
    { display_name: "ops" },
  ],
  [
    "accountApiKeys.update",
    (j) => j.accountApiKeys.update({ key_id: "k", display_name: "o" }),
    "PATCH /account/api-keys",
    { key_id: "k", display_name: "o" },
  ],
  [
    "accountApiKeys.delete",
    (j) => j.accountApiKeys.delete({ key_id: "k" }),
    "DELETE /account/api-keys",
    { key_id: "k" },
  ],
  ["environment.getSettings", (j) => j.environment.getSettings(), "GET /environment/settings"],
  [
    "environment.listSettingChanges",
    (j) => j.environment.listSettingChanges(),
    "GET /environment/settings/changes",
  ],
  [
    "environment.updateSettings",
    (j) => j.environment.updateSettings({ validation: { input: "warn" } }),
    "PATCH /environment/settings",
    { validation: { input: "warn" } },
  ],
  ["webhookSettings.get", (j) => j.webhookSettings.get(), "GET /environment/webhooks"],
  [
    "webhookSettings.update",
    (j) => j.webhookSettings.update({ primary_url: "https://a.example" }),
    "PATCH /environment/webhooks",
    { primary_url: "https://a.example" },
  ],
  [
    "webhookSettings.rotateSigningKey",
    (j) => j.webhookSettings.rotateSigningKey({ immediate: true }),
    "POST /environment/webhook-signing-key/rotate",
    { immediate: true },
  ],
  [
    "variables.set",
    (j) => j.variables.set({ name: "A", value: "b" }),
    "PUT /environment-variables/A",
    { value: "b" },
  ],
  ["variables.delete", (j) => j.variables.delete("A"), "DELETE /environment-variables/A"],
];
