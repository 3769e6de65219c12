// `npm run demo`: the whole path against simulated providers, on loopback, with a platform of its own. On a terminal
// it then stays, to be clicked through; `--stay` and `--no-stay` say so either way.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { createContactBook, hubspotApi, startVendor } from "@jackfield/simulator";
import * as z from "zod";
import { makeDataFolder } from "../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../tests/launcher/platform-process.ts";
import { ApiClient, printStep } from "./api-client.ts";
import { printNextClicks } from "./next-clicks.ts";
import { act, authorize, deploy, importAndProxy, receiveWebhook, sync, useTokens } from "./walk.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./webhook-receiver.ts";

const settingsBody = z.object({
  data: z.object({ signing_keys: z.array(z.object({ key: z.string() })).min(1) }),
});

const { values } = parseArgs({ options: { stay: { type: "boolean" } }, allowNegative: true });
const startedAt = performance.now();
const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
await using stack = new AsyncDisposableStack();
// Nothing is left over either when it is stopped early.
await Promise.race([show(), stopped]).catch(tellFailure);

/** Without a stack: it would be ours, and says nothing of what to do. */
function tellFailure(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`\nThe demo did not come to its end: ${message}`);
  process.exitCode = 1;
}

async function show(): Promise<void> {
  const { path: dataDir } = stack.use(await makeDataFolder());

  printStep("Starting a platform of its own, with an embedded database");
  const key = randomUUID();
  const platform = await startPlatformProcess({ dataDir, env: { SVC_BOOTSTRAP_KEY: key } });
  stack.defer(async () => {
    await platform.stop();
  });
  console.log(`  ${platform.url} after ${elapsed()}`);

  printStep("Starting simulators of OpenAI and HubSpot, made from their catalogue entries");
  const openai = stack.use(await startVendor("openai"));
  const book = createContactBook({ count: 1000, seed: 1 });
  const hubspot = stack.use(await startVendor("hubspot", { api: hubspotApi(book) }));
  for (const { provider, origin } of [openai, hubspot]) {
    console.log(`  ${provider.display_name.padEnd(8)} ${origin}/.simulator`);
  }

  const api = new ApiClient(platform.url, key);
  const receiver = stack.use(await receiveWebhooks(api));
  const walk = { url: platform.url, key, api, openai, hubspot, book, receiver };
  await importAndProxy(walk);
  const connectionId = await authorize(walk);
  await useTokens(walk, connectionId);
  await deploy(walk);
  await sync(walk, connectionId);
  const webhookUrl = await receiveWebhook(walk, connectionId);
  await act(walk, connectionId);
  printStep(`Done in ${elapsed()}.`);

  if (values.stay ?? process.stdout.isTTY) {
    await printNextClicks(walk, webhookUrl);
    await stopped;
  } else {
    console.log("  npm run demo -- --stay    # keeps it running, and tells what to click");
  }
}

async function receiveWebhooks(api: ApiClient): Promise<WebhookReceiver> {
  printStep("Where webhooks go");
  const before = await api.call("GET", "/environment/webhooks");
  const [signing] = settingsBody.parse(before.body).data.signing_keys;
  const receiver = await startWebhookReceiver(signing?.key ?? "");
  await api.call("PATCH", "/environment/webhooks", { body: { primary_url: receiver.url } });
  return receiver;
}

function elapsed(): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}
