import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import { approveAuthorization } from "../approve-authorization.ts";
import type { SimulatedProvider } from "../start-simulated-provider.ts";
import { type ApiClient, printCall, printResult, printStep } from "./api-client.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

export interface Walk {
  readonly url: string;
  readonly key: string;
  readonly api: ApiClient;
  readonly provider: SimulatedProvider;
  readonly receiver: WebhookReceiver;
}

const project = fileURLToPath(new URL("../../functions/", import.meta.url));
const cli = fileURLToPath(new URL("../bin/jackfield.js", import.meta.resolve("jackfield")));

/** An API key of the provider, imported, and a call with it. */
export async function importAndProxy({ api, provider }: Walk): Promise<void> {
  printStep("1. An integration with an API key, an imported connection, a proxied call");
  await api.call("POST", "/integrations", {
    body: {
      provider: "private-api-bearer",
      unique_key: "harbor-key",
      integration_config: { base_url: provider.origin },
    },
  });
  await api.call("POST", "/connections", {
    body: {
      provider_config_key: "harbor-key",
      connection_id: "acme-key",
      credentials: { type: "API_KEY", apiKey: provider.apiKey },
    },
  });
  await api.call("GET", "/proxy/api/me", {
    headers: { "provider-config-key": "harbor-key", "connection-id": "acme-key" },
  });
}

const sessionBody = z.object({ data: z.object({ token: z.string() }) });
const resultBody = z.object({ data: z.object({ state: z.string(), connection_id: z.string() }) });

/** OAuth 2 with PKCE through a connect session; returns the id of the new connection. */
export async function authorize({ api, url, provider }: Walk): Promise<string> {
  printStep("2. An OAuth 2 integration, authorised by an end user through a connect session");
  await api.call("POST", "/integrations", {
    body: {
      provider: "oauth2-generic",
      unique_key: "harbor",
      display_name: "Harbor CRM",
      credentials: {
        type: "OAUTH2",
        client_id: provider.oauth.clientId,
        client_secret: provider.oauth.clientSecret,
        scopes: "openid,offline_access,contacts.read,contacts.write",
      },
      integration_config: {
        authorization_url: provider.oauth.authorizationUrl,
        token_url: provider.oauth.tokenUrl,
        base_url: provider.origin,
      },
    },
  });
  const session = await api.call("POST", "/connect/sessions", {
    body: { tags: { end_user_id: "u-1", organization_id: "acme" } },
  });
  const { token } = sessionBody.parse(session.body).data;
  const start = `/oauth/connect/harbor?connect_session_token=${token}`;
  printCall("GET /oauth/connect/harbor", { connect_session_token: token });
  const redirect = await fetch(`${url}${start}`, { redirect: "manual" });
  const location = redirect.headers.get("location");
  printResult(redirect.status, { location });
  if (location === null) throw new Error(`no redirect: ${await redirect.text()}`);
  const callback = await approveAuthorization(location);
  printCall("GET /oauth/callback", { code: callback.searchParams.get("code") });
  const cookie = redirect.headers
    .getSetCookie()
    .map((text) => text.split(";", 1)[0])
    .join("; ");
  const page = await fetch(callback, { headers: { cookie } });
  printResult(page.status, /<title>([^<]*)</.exec(await page.text())?.[1]);
  const answer = await fetch(`${url}/connect/session/result`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const result = await answer.json();
  printCall("GET /connect/session/result");
  printResult(answer.status, result);
  return resultBody.parse(result).data.connection_id;
}

/** Fresh tokens, and a call through them. */
export async function useTokens({ api, provider }: Walk, connectionId: string): Promise<void> {
  printStep("3. Tokens are refreshed when they have to be; calls carry them");
  const path = `/connections/${connectionId}?provider_config_key=harbor`;
  const credentials = (body: unknown) => z.looseObject({ credentials: z.unknown() }).parse(body);
  await api.call("GET", path, { show: (body) => credentials(body).credentials });
  await api.call("GET", `${path}&force_refresh=true`, {
    show: (body) => credentials(body).credentials,
  });
  printResult("refreshes counted by the provider:", provider.journal.refreshGrants);
  const headers = { "provider-config-key": "harbor", "connection-id": connectionId };
  await api.call("GET", "/proxy/api/contacts?limit=1", { headers });
  await api.call("POST", "/proxy/api/echo", { headers, body: { hello: "provider" } });
}

/** The function project of this package, deployed by the CLI. */
export async function deploy({ url, key }: Walk): Promise<void> {
  printStep("4. Functions, deployed by the CLI");
  printCall("jackfield deploy dev");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [cli, "deploy", "dev", "--auto-confirm"],
    {
      cwd: project,
      env: { PATH: dirname(process.execPath), SVC_HOSTPORT: url, SVC_SECRET_KEY_DEV: key },
    },
  );
  for (const line of stdout.trimEnd().split("\n")) process.stdout.write(`    ${line}\n`);
}

const recordsBody = z.object({
  records: z.array(z.looseObject({ id: z.string() })),
  next_cursor: z.string().nullable(),
});

/** The sync's first run, its signed webhook, and the records page by page; then only what changed. */
export async function sync(walk: Walk, connectionId: string): Promise<void> {
  const { api, receiver, provider } = walk;
  printStep("5. The sync runs on its schedule; a signed webhook tells; records are read by cursor");
  await nextSyncWebhook(receiver);
  await readAllRecords(api, connectionId);

  printStep("6. A second run saves what changed and nothing else");
  provider.changeContacts({ changed: 7, added: 3, removed: 0 });
  for (const _run of ["changes", "nothing new"]) {
    await api.call("POST", "/sync/trigger", {
      body: { provider_config_key: "harbor", syncs: ["contacts"], connection_id: connectionId },
    });
    await nextSyncWebhook(receiver);
  }
  await api.call(
    "GET",
    `/sync/status?provider_config_key=harbor&syncs=*&connection_id=${connectionId}`,
  );
}

async function nextSyncWebhook(receiver: WebhookReceiver): Promise<void> {
  const { body } = await receiver.next("sync");
  printCall("webhook received, signature verified", { type: "sync", model: body["model"] });
  printResult("counts", body["responseResults"]);
}

async function readAllRecords(api: ApiClient, connectionId: string): Promise<void> {
  let cursor: string | null = null;
  let count = 0;
  let pages = 0;
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await api.call("GET", `/records?model=Contact&limit=1000${query}`, {
      headers: { "provider-config-key": "harbor", "connection-id": connectionId },
      show: (body) => recordsBody.parse(body).records[0],
    });
    const page = recordsBody.parse(answer.body);
    count += page.records.length;
    pages += 1;
    cursor = page.next_cursor;
  } while (cursor !== null);
  printResult("read", { records: count, pages });
}

export async function act({ api }: Walk, connectionId: string): Promise<void> {
  printStep("7. An action, on demand");
  await api.call("POST", "/action/trigger", {
    headers: { "provider-config-key": "harbor", "connection-id": connectionId },
    body: {
      action_name: "create-contact",
      input: { name: "Ada Quay", email: "ada@quay.example", company: "Quay" },
    },
  });
}
