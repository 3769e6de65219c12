import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { commandLineArgs } from "../launcher/command-line-bundle.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { apiOf } from "./api.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [...commandLineArgs(), "webhooks", ...args], {
    env: { PATH: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const text = { output: "", errors: "" };
  child.stdout.setEncoding("utf8").on("data", (part: string) => (text.output += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (text.errors += part));
  const seen = async (pattern: RegExp): Promise<string> => {
    const all = () => text.output + text.errors;
    await expect.poll(all, { timeout: 30_000, interval: 50 }).toMatch(pattern);
    return pattern.exec(all())?.[1] ?? "";
  };
  const ended = once(child, "close").then(() => child.exitCode);
  return { child, text, seen, ended };
}

const kinds = [
  "auth.creation",
  "auth.override",
  "auth.refresh",
  "sync",
  "sync.failure",
  "sync.webhook",
  "async_action",
  "forward",
];

test("listen takes secondary_url, prints what verifies, refuses the rest, and gives it back", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key },
  });
  const api = apiOf(platform.url, key);
  const secondaryUrl = async (): Promise<string> =>
    (await api("GET", "/environment/webhooks")).body.data.secondary_url;
  await api("PATCH", "/environment/webhooks", {
    body: { secondary_url: "https://hooks.example/mine" },
  });
  const env = { SVC_HOSTPORT: platform.url, SVC_SECRET_KEY_DEV: key };
  const listening = start(["listen", "--port", "0", "--take-secondary-url"], env);
  const url = await listening.seen(/Listening on (\S+);[\s\S]*secondary_url of dev/);

  const during = await secondaryUrl();
  await api("POST", "/integrations", {
    body: { provider: "private-api-bearer", unique_key: "crm" },
  });
  await api("POST", "/connections", {
    body: {
      provider_config_key: "crm",
      connection_id: "acme",
      credentials: { type: "API_KEY", apiKey: "k" },
    },
  });
  await listening.seen(/verified msg_\S+\n\{[\s\S]*"connectionId": "acme"/);
  const forged = await fetch(url, { method: "POST", body: "{}" });
  await listening.seen(/refused: the headers webhook-\* are missing/);
  const sent = await start(["send-test", url, "--kind", "sync"], env).ended;
  await listening.seen(/"syncName": "contacts"/);
  listening.child.kill("SIGINT");

  expect(await listening.ended).toBe(0);
  expect([during, forged.status, sent]).toEqual([url, 401, 0]);
  expect(await secondaryUrl()).toBe("https://hooks.example/mine");
  await platform.stop();
}, 90_000);

test("send-test signs a sample of every kind, and tells of receivers that refuse", async () => {
  const signingKey = `whsec_${Buffer.from(randomUUID()).toString("base64")}`;
  await using receiver = await startWebhookReceiver(signingKey);
  const send = async (kind: string, signing = signingKey) =>
    await start(["send-test", receiver.url, "--kind", kind, "--signing-key", signing]).ended;

  const codes = await Promise.all(kinds.map(async (kind) => await send(kind)));
  const refused = await send(
    "sync",
    `whsec_${Buffer.from("another key, of another place").toString("base64")}`,
  );
  const unknown = await send("nothing");
  const noKey = await send("sync", "a key of something else");

  expect(codes).toEqual(kinds.map(() => 0));
  expect([refused, unknown, noKey, receiver.refused]).toEqual([1, 2, 2, 1]);
}, 90_000);
