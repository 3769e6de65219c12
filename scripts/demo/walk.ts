import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type ContactBook, describeIntegration, type Vendor } from "@jackfield/simulator";
import * as z from "zod";
import { type ApiClient, printCall, printResult, printStep } from "./api-client.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

export interface Walk {
  readonly url: string;
  readonly key: string;
  readonly api: ApiClient;
  readonly openai: Vendor;
  readonly hubspot: Vendor;
  /** HubSpot's contacts. */
  readonly book: ContactBook;
  readonly receiver: WebhookReceiver;
}

const project = fileURLToPath(new URL("../../packages/simulator/functions/", import.meta.url));
const cli = fileURLToPath(new URL("../bin/jackfield.js", import.meta.resolve("jackfield")));

/** An API key of a provider, imported, and a call with it. */
export async function importAndProxy({ api, openai }: Walk): Promise<void> {
  printStep("1. An integration with an API key, an imported connection, a proxied call");
  await api.call("POST", "/integrations", { body: describeIntegration(openai) });
  await api.call("POST", "/connections", {
    body: { provider_config_key: "openai", connection_id: "acme", ...openai.newConnection() },
  });
  await api.call("GET", "/proxy/v1/models", {
    headers: { "provider-config-key": "openai", "connection-id": "acme" },
  });
}

const sessionBody = z.object({ data: z.object({ token: z.string(), connect_link: z.string() }) });
const resultBody = z.object({ data: z.object({ state: z.string(), connection_id: z.string() }) });

/** A session that lets an end user connect HubSpot. */
export async function createSession({ api }: Pick<Walk, "api">, endUserId: string) {
  const { body } = await api.call("POST", "/connect/sessions", {
    body: {
      tags: { end_user_id: endUserId, organization_id: "acme" },
      allowed_integrations: ["hubspot"],
    },
  });
  return sessionBody.parse(body).data;
}

/** OAuth 2 with PKCE through a connect session; returns the id of the new connection. */
export async function authorize({ api, url, hubspot }: Walk): Promise<string> {
  printStep("2. An OAuth 2 integration, authorized by an end user through a connect session");
  await api.call("POST", "/integrations", { body: describeIntegration(hubspot) });
  const { token } = await createSession({ api }, "u-1");
  printCall("GET /oauth/connect/hubspot", { connect_session_token: token });
  const start = `/oauth/connect/hubspot?connect_session_token=${token}`;
  const redirect = await fetch(`${url}${start}`, { redirect: "manual" });
  const location = redirect.headers.get("location");
  printResult(redirect.status, { location });
  if (location === null) throw new Error(`no redirect: ${await redirect.text()}`);
  const callback = await allow(location);
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

/** What the end user does on the vendor's page. */
async function allow(location: string): Promise<URL> {
  const page = await fetch(location);
  const heading = /<h1>([^<]*)</.exec(await page.text())?.[1];
  printCall("the consent page", { heading, click: "Allow" });
  const body = new URLSearchParams({ action: "allow" });
  const answer = await fetch(location, { method: "POST", body, redirect: "manual" });
  const back = answer.headers.get("location");
  if (back === null) throw new Error(`the vendor refused: ${await answer.text()}`);
  return new URL(back);
}

/** Fresh tokens, and a call through them. */
export async function useTokens({ api, hubspot }: Walk, connectionId: string): Promise<void> {
  printStep("3. Tokens are refreshed when they have to be; calls carry them");
  const path = `/connections/${connectionId}?provider_config_key=hubspot`;
  const credentials = (body: unknown) => z.looseObject({ credentials: z.unknown() }).parse(body);
  await api.call("GET", path, { show: (body) => credentials(body).credentials });
  await api.call("GET", `${path}&force_refresh=true`, {
    show: (body) => credentials(body).credentials,
  });
  printResult("refreshes counted by HubSpot:", hubspot.countPassed("refresh"));
  const headers = { "provider-config-key": "hubspot", "connection-id": connectionId };
  await api.call("GET", "/proxy/crm/v3/objects/contacts?limit=1", { headers });
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
  const { api, receiver, book } = walk;
  printStep("5. The sync runs on its schedule; a signed webhook tells; records are read by cursor");
  await nextSyncWebhook(receiver);
  await readAllRecords(api, connectionId);

  printStep("6. A second run saves what changed and nothing else");
  book.change({ changed: 7, added: 3, removed: 0 });
  for (const _run of ["changes", "nothing new"]) {
    await api.call("POST", "/sync/trigger", {
      body: { provider_config_key: "hubspot", syncs: ["contacts"], connection_id: connectionId },
    });
    await nextSyncWebhook(receiver);
  }
  await api.call(
    "GET",
    `/sync/status?provider_config_key=hubspot&syncs=*&connection_id=${connectionId}`,
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
    const answer = await api.call("GET", `/records?model=Contact&limit=500${query}`, {
      headers: { "provider-config-key": "hubspot", "connection-id": connectionId },
      show: (body) => recordsBody.parse(body).records[0],
    });
    const page = recordsBody.parse(answer.body);
    count += page.records.length;
    pages += 1;
    cursor = page.next_cursor;
  } while (cursor !== null);
  printResult("read", { records: count, pages });
}

const integrationBody = z.object({ data: z.object({ webhook_url: z.string() }) });

/** HubSpot tells of a contact; returns the address that it was given. */
export async function receiveWebhook(walk: Walk, connectionId: string): Promise<string> {
  const { api, hubspot, book, receiver } = walk;
  printStep("7. A webhook of HubSpot is verified, forwarded, and given to the sync");
  const shown = await api.call("GET", "/integrations/hubspot?include=webhook", {
    show: (body) => integrationBody.parse(body).data,
  });
  const { webhook_url: webhookUrl } = integrationBody.parse(shown.body).data;
  book.update("con_0000001", { company: "Renamed Ltd" });
  const event = {
    eventId: 1,
    subscriptionType: "contact.propertyChange",
    portalId: hubspot.samples.reported["portalId"],
    objectId: 1,
  };
  printCall("HubSpot sends", event);
  const sent = await fetch(`${hubspot.origin}/.simulator/webhook`, {
    method: "POST",
    body: JSON.stringify({ url: webhookUrl, event: [event] }),
  });
  printResult("the server answered", await sent.json());
  const { body } = await receiver.next("forward");
  printCall("webhook received, signature verified", { type: "forward", payload: body["payload"] });
  await nextSyncWebhook(receiver);
  await api.call("GET", "/records?model=Contact&limit=1&ids=1", {
    headers: { "provider-config-key": "hubspot", "connection-id": connectionId },
    show: (records) => recordsBody.parse(records).records[0],
  });
  return webhookUrl;
}

export async function act({ api }: Walk, connectionId: string): Promise<void> {
  printStep("8. An action, on demand");
  await api.call("POST", "/action/trigger", {
    headers: { "provider-config-key": "hubspot", "connection-id": connectionId },
    body: {
      action_name: "create-contact",
      input: { firstName: "Ada", lastName: "Quay", email: "ada@quay.example" },
    },
  });
}
