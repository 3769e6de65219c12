// `npm run demo`: the whole path against a sample provider, on loopback, with a platform of its own.
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { makeDataFolder } from "./data-folder.ts";
import { ApiClient, printStep } from "./demo/api-client.ts";
import { act, authorize, deploy, importAndProxy, sync, useTokens } from "./demo/walk.ts";
import { startWebhookReceiver } from "./demo/webhook-receiver.ts";
import { startPlatformProcess } from "./platform-process.ts";
import { startSimulatedProvider } from "./start-simulated-provider.ts";

const settingsBody = z.object({
  data: z.object({ signing_keys: z.array(z.object({ key: z.string() })).min(1) }),
});

const startedAt = performance.now();
await using stack = new AsyncDisposableStack();
const { path: dataDir } = stack.use(await makeDataFolder());

printStep("Starting a platform of its own, with an embedded database");
const key = randomUUID();
const platform = await startPlatformProcess({
  dataDir,
  env: { SVC_BOOTSTRAP_KEY: key },
});
stack.defer(async () => {
  await platform.stop();
});
console.log(`  ${platform.url} after ${elapsed()}`);

printStep("Starting Harbor CRM, the sample provider");
const redirectUris = [`${platform.url}/oauth/callback`];
const provider = stack.use(await startSimulatedProvider({ redirectUris, consent: "automatic" }));
console.log(`  ${provider.origin} with ${provider.contactCount} contacts`);

const api = new ApiClient(platform.url, key);
printStep("Where webhooks go");
const before = await api.call("GET", "/environment/webhooks");
const [signing] = settingsBody.parse(before.body).data.signing_keys;
const receiver = stack.use(await startWebhookReceiver(signing?.key ?? ""));
await api.call("PATCH", "/environment/webhooks", { body: { primary_url: receiver.url } });

const walk = { url: platform.url, key, api, provider, receiver };
await importAndProxy(walk);
const connectionId = await authorize(walk);
await useTokens(walk, connectionId);
await deploy(walk);
await sync(walk, connectionId);
await act(walk, connectionId);
printStep(`Done in ${elapsed()}.`);

function elapsed(): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}
