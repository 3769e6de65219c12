import { type ProviderEntry, verificationPath } from "./provider-entry.ts";

const AUTH = '-H "Authorization: Bearer $SVC_SECRET_KEY_DEV"';
const JSON_TYPE = "-H 'Content-Type: application/json'";

/** How an integration is made, how a user or a program connects, and a first call, as commands. */
export function connectCalls(entry: ProviderEntry): string[] {
  return [
    "## Connect",
    "",
    "```sh",
    post("/integrations", integrationBody(entry)),
    "```",
    "",
    ...connect(entry),
    "## Call the API",
    "",
    "```sh",
    `curl "$SVC_HOSTPORT/proxy${verificationPath(entry)?.replace(/\?.*/, "") ?? "/<path>"}" ${AUTH} \\`,
    `  -H 'Provider-Config-Key: ${entry.id}' -H 'Connection-Id: acme'`,
    "```",
    "",
  ];
}

function post(path: string, body: unknown): string {
  return `curl "$SVC_HOSTPORT${path}" ${AUTH} \\\n  ${JSON_TYPE} \\\n  -d '${JSON.stringify(body)}'`;
}

function integrationBody(entry: ProviderEntry): unknown {
  const { id, auth_mode: mode, example_scopes: scopes } = entry;
  const own = { provider: id, unique_key: id };
  const client = { client_id: "<client id>", client_secret: "<client secret>" };
  if (mode === "OAUTH2") {
    const asked = scopes === undefined ? {} : { scopes: scopes.join(",") };
    return { ...own, credentials: { type: mode, ...client, ...asked } };
  }
  if (mode === "OAUTH1" || mode === "TBA")
    return { ...own, credentials: { type: mode, ...client } };
  const app = { app_id: "<app id>", app_link: "<link of the app>", private_key: "<PEM>" };
  if (mode === "APP") return { ...own, credentials: { type: mode, ...app } };
  if (mode === "CUSTOM") return { ...own, credentials: { type: mode, ...client, ...app } };
  return own;
}

function connect(entry: ProviderEntry): string[] {
  const body = importBody(entry);
  const imported =
    body === undefined
      ? []
      : ["Or import existing credentials:", "", "```sh", post("/connections", body), "```", ""];
  return [
    "Create a session and open its `connect_link` in a browser:",
    "",
    "```sh",
    post("/connect/sessions", {
      tags: { end_user_id: "user-1" },
      allowed_integrations: [entry.id],
    }),
    "```",
    "",
    ...imported,
  ];
}

/** For modes whose credentials somebody can have at hand. */
function importBody(entry: ProviderEntry): unknown {
  const credentials = {
    API_KEY: { type: "API_KEY", apiKey: "<API key>" },
    BASIC: { type: "BASIC", username: "<user name>", password: "<password>" },
    OAUTH2_CC: { type: "OAUTH2_CC", client_id: "<client id>", client_secret: "<client secret>" },
  }[entry.auth_mode];
  if (credentials === undefined) return undefined;
  const fields = Object.entries(entry.connection_config ?? {})
    .filter(([, { automated, optional }]) => automated !== true && optional !== true)
    .map(([name, { example }]) => [name, example ?? `<${name}>`]);
  return {
    provider_config_key: entry.id,
    connection_id: "acme",
    credentials,
    ...(fields.length === 0 ? {} : { connection_config: Object.fromEntries(fields) }),
  };
}
