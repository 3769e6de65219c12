import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import {
  connectionId,
  createConnections,
  createIntegrations,
  describeConnection,
} from "../../examples/fakes/connect-fakes.ts";
import { startFakes } from "../../examples/fakes/start-fakes.ts";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { commandLineArgs } from "../launcher/command-line-bundle.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { type Api, apiOf } from "./api.ts";

const run = promisify(execFile);
const examples = fileURLToPath(new URL("../../examples/", import.meta.url));

const syncs = [
  ["hubspot", "contacts", "Contact"],
  ["hubspot", "deals", "Deal"],
  ["github", "issues", "Issue"],
  ["xero", "invoices", "Invoice"],
  ["xero", "accounts", "Account"],
  ["stripe", "charges", "Charge"],
  ["google-drive", "files", "File"],
] as const;

test("the examples, deployed, do what their dry runs have recorded", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  await using fakes = await startFakes();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key },
  });
  try {
    const api = apiOf(platform.url, key);
    await createIntegrations({ url: platform.url, key }, fakes);
    const env = { SVC_HOSTPORT: platform.url, SVC_SECRET_KEY_DEV: key };
    const deploy = async () =>
      JSON.parse(
        (
          await run(process.execPath, [...commandLineArgs(), "deploy", "dev", "--json"], {
            cwd: examples,
            env,
          })
        ).stdout,
      );
    const first = await deploy();
    await createConnections({ url: platform.url, key }, fakes);
    await api("POST", "/connections/metadata", {
      body: {
        connection_id: connectionId,
        provider_config_key: "hubspot",
        metadata: { closedStages: ["closedlost"] },
      },
    });
    const second = await deploy();

    expect(first.deployed).toHaveLength(13);
    expect(first.plan.newSyncs).toHaveLength(syncs.length);
    expect([second.plan.newSyncs, second.plan.updatedSyncs]).toEqual([[], []]);

    for (const [integration, sync, model] of syncs) {
      await api("POST", "/sync/trigger", {
        body: { provider_config_key: integration, connection_id: connectionId, syncs: [sync] },
      });
      const { result } = await readCase(integration, sync, "sync");
      const expected = result.records[model].saved.toSorted(byId);
      await expect
        .poll(async () => await listRecords(api, integration, model), { timeout: 30_000 })
        .toEqual(expected);
    }

    // A variant has records of its own.
    const variant = await api("POST", "/sync/deals/variant/renewals", {
      body: { provider_config_key: "hubspot", connection_id: connectionId },
    });
    expect(variant.status).toBe(200);
    await api("POST", "/sync/trigger", {
      body: {
        provider_config_key: "hubspot",
        connection_id: connectionId,
        syncs: [{ name: "deals", variant: "renewals" }],
      },
    });
    const renewals = await readCase("hubspot", "deals", "sync renewals");
    await expect
      .poll(async () => await listRecords(api, "hubspot", "Deal&variant=renewals"), {
        timeout: 30_000,
      })
      .toEqual(openOf(renewals.result.records.Deal.saved));

    // A second run marks as deleted what the provider no longer lists, and leaves the rest as it was.
    const { result: accounts } = await readCase("xero", "accounts", "sync");
    const gone = fakes.xeroAccounts.shift();
    await api("POST", "/sync/trigger", {
      body: { provider_config_key: "xero", connection_id: connectionId, syncs: ["accounts"] },
    });
    await expect
      .poll(async () => await listRecords(api, "xero", "Account", "deleted"), { timeout: 30_000 })
      .toMatchObject([{ id: gone?.AccountID }]);
    const kept = await listRecords(api, "xero", "Account");
    expect(kept).toEqual(
      accounts.records.Account.saved
        .filter(({ id }: { id: string }) => id !== gone?.AccountID)
        .toSorted(byId),
    );

    // One on-event function registers a webhook, the other refuses sandboxes.
    await expect
      .poll(async () => await readMetadata(api, "github"), { timeout: 15_000 })
      .toMatchObject({ owner: "acme", webhookId: 424242 });
    fakes.hubspotAccount.accountType = "SANDBOX";
    const sandbox = await api("POST", "/connections", {
      body: describeConnection(fakes, "hubspot", "sandbox"),
    });
    expect(sandbox.status).toBe(400);
    expect(sandbox.body.error).toMatchObject({
      code: "connection_validation_failed",
      message: expect.stringContaining("Connect your live account, not a sandbox."),
    });

    for (const [integration, action, label] of [
      ["hubspot", "create-contact", "action"],
      ["github", "create-issue", "action"],
      ["stripe", "create-refund", "action"],
      ["google-drive", "download-file", "action"],
    ] as const) {
      const recorded = await readCase(integration, action, label);
      const answer = await trigger(api, integration, action, recorded.input);
      expect(answer).toMatchObject({ status: 200, body: recorded.result.output });
    }
    const refused = await readCase("hubspot", "create-contact", "exists already");
    const answer = await trigger(api, "hubspot", "create-contact", refused.input);
    expect(answer.status).toBe(500);
    expect(answer.body.error).toMatchObject({
      code: refused.result.error.type,
      errors: [{ message: "ada.1001@example.com is a contact already", id: "1001" }],
    });
  } finally {
    await platform.stop();
  }
}, 180_000);

async function readCase(integration: string, name: string, label: string) {
  const text = await readFile(`${examples}${integration}/tests/${name}.test.json`, "utf8");
  return JSON.parse(text).cases.find((one: { name: string }) => one.name === label);
}

async function readMetadata(api: Api, integration: string) {
  const path = `/connections/${connectionId}?provider_config_key=${integration}`;
  return (await api("GET", path)).body.metadata;
}

async function trigger(api: Api, integration: string, action: string, input: unknown) {
  return await api("POST", "/action/trigger", {
    headers: { "connection-id": connectionId, "provider-config-key": integration },
    body: { action_name: action, input },
  });
}

async function listRecords(api: Api, integration: string, model: string, filter = "added,updated") {
  const answer = await api("GET", `/records?model=${model}&limit=1000&filter=${filter}`, {
    headers: { "connection-id": connectionId, "provider-config-key": integration },
  });
  const records: { id: string; _svc_metadata: unknown }[] = answer.body.records;
  return records.map(({ _svc_metadata: _, ...fields }) => fields).toSorted(byId);
}

/** Without the stages that the connection's metadata names, which the variant's recording does without. */
function openOf(deals: readonly { id: string; stage: string }[]) {
  return deals.filter(({ stage }) => stage !== "closedlost").toSorted(byId);
}

function byId(first: { id: string }, second: { id: string }): number {
  return first.id < second.id ? -1 : 1;
}
