import type { Jackfield } from "../index.ts";

/** Those of environments, keys, sessions and settings. */
export const environmentCalls: readonly [
  string,
  (client: Jackfield) => Promise<unknown>,
  string,
  unknown?,
][] = [
  ["listEnvironments", (j) => j.listEnvironments(), "GET /environments"],
  [
    "createEnvironment",
    (j) => j.createEnvironment({ name: "staging" }),
    "POST /environments",
    { name: "staging" },
  ],
  ["deleteEnvironment", (j) => j.deleteEnvironment("e 1"), "DELETE /environments/e%201"],
  [
    "listApiKeys",
    (j) => j.listApiKeys({ environment_id: "e" }),
    "GET /environment/api-keys?environment_id=e",
  ],
  [
    "createApiKey",
    (j) => j.createApiKey({ display_name: "ci", scopes: ["environment:deploy"] }),
    "POST /environment/api-keys",
    { display_name: "ci", scopes: ["environment:deploy"] },
  ],
  [
    "updateApiKey",
    (j) => j.updateApiKey({ key_id: "k", expires_at: null }),
    "PATCH /environment/api-keys",
    { key_id: "k", expires_at: null },
  ],
  [
    "deleteApiKey",
    (j) => j.deleteApiKey({ key_id: "k" }),
    "DELETE /environment/api-keys",
    { key_id: "k" },
  ],
  [
    "listConnectSessions",
    (j) => j.listConnectSessions({ is_open: true }),
    "GET /connect/sessions?is_open=true",
  ],
  ["endConnectSession", (j) => j.endConnectSession("s"), "DELETE /connect/sessions/s"],
  [
    "sendProxyRequest",
    (j) => j.sendProxyRequest({ provider_config_key: "crm", connection_id: "c 1", path: "/me" }),
    "POST /proxy-requests",
    { provider_config_key: "crm", connection_id: "c 1", path: "/me" },
  ],
  ["getEnvironment", (j) => j.getEnvironment(), "GET /environment"],
  [
    "updateEnvironment",
    (j) => j.updateEnvironment("e", { name: "qa" }),
    "PATCH /environments/e",
    { name: "qa" },
  ],
  [
    "listAuditEvents",
    (j) => j.listAuditEvents({ outcome: "refused" }),
    "GET /audit?outcome=refused",
  ],
  [
    "exportAuditEvents",
    (j) => j.exportAuditEvents({ format: "csv" }),
    "GET /audit/export?format=csv",
  ],
  [
    "revealWebhookSigningKeys",
    (j) => j.revealWebhookSigningKeys(),
    "POST /environment/webhooks/reveal",
  ],
  [
    "revealEnvironmentVariable",
    (j) => j.revealEnvironmentVariable("A"),
    "POST /environment-variables/A/reveal",
  ],
  [
    "listCredentialReads",
    (j) => j.listCredentialReads({ connection_id: "acme" }),
    "GET /audit/credential-reads?connection_id=acme",
  ],
  ["getAuditHead", (j) => j.getAuditHead(), "GET /audit/head"],
  ["listAccountApiKeys", (j) => j.listAccountApiKeys(), "GET /account/api-keys"],
  [
    "createAccountApiKey",
    (j) => j.createAccountApiKey({ display_name: "ops" }),
    "POST /account/api-keys",
    { display_name: "ops" },
  ],
  [
    "updateAccountApiKey",
    (j) => j.updateAccountApiKey({ key_id: "k", display_name: "o" }),
    "PATCH /account/api-keys",
    { key_id: "k", display_name: "o" },
  ],
  [
    "deleteAccountApiKey",
    (j) => j.deleteAccountApiKey({ key_id: "k" }),
    "DELETE /account/api-keys",
    { key_id: "k" },
  ],
  ["getEnvironmentSettings", (j) => j.getEnvironmentSettings(), "GET /environment/settings"],
  [
    "updateEnvironmentSettings",
    (j) => j.updateEnvironmentSettings({ validation: { input: "warn" } }),
    "PATCH /environment/settings",
    { validation: { input: "warn" } },
  ],
  ["getWebhookSettings", (j) => j.getWebhookSettings(), "GET /environment/webhooks"],
  [
    "updateWebhookSettings",
    (j) => j.updateWebhookSettings({ primary_url: "https://a.example" }),
    "PATCH /environment/webhooks",
    { primary_url: "https://a.example" },
  ],
  [
    "rotateWebhookSigningKey",
    (j) => j.rotateWebhookSigningKey({ immediate: true }),
    "POST /environment/webhook-signing-key/rotate",
    { immediate: true },
  ],
  [
    "setEnvironmentVariable",
    (j) => j.setEnvironmentVariable({ name: "A", value: "b" }),
    "PUT /environment-variables/A",
    { value: "b" },
  ],
  [
    "deleteEnvironmentVariable",
    (j) => j.deleteEnvironmentVariable("A"),
    "DELETE /environment-variables/A",
  ],
];
