import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  describeIntegration,
  makeDataFolder,
  type PlatformProcess,
  startPlatformProcess,
  startVendor,
} from "@jackfield/simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiOf } from "../journeys/api.ts";
import { requireTool } from "../require-tool.ts";
import { type Outcome, type Reader, readBlocks, runPage } from "./run-page.ts";

const stack = new AsyncDisposableStack();
let platform: PlatformProcess;
let env: Record<string, string>;

beforeAll(async () => {
  const folder = stack.use(await makeDataFolder());
  platform = await startPlatformProcess({ dataDir: folder.path });
  stack.defer(async () => {
    await platform.stop();
  });
  env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    SVC_HOSTPORT: platform.url,
    SVC_SECRET_KEY_DEV: platform.keys.get("dev") ?? "",
  };
}, 120_000);
afterAll(async () => await stack.disposeAsync());

test("the quick start runs as written, and answers what it shows", async (t) => {
  requireTool("curl", t);
  await using openai = await startVendor("openai");
  await using reader = await startReader((text) =>
    text.replaceAll("http://127.0.0.1:4010", openai.origin),
  );

  const outcomes = await runPage("docs/quick-start.md", reader);

  expect(outcomes).toHaveLength(4);
  expectShown(outcomes);
});

test("the README's first call runs as written", async (t) => {
  requireTool("curl", t);
  await using openai = await startVendor("openai");
  await using reader = await startReader((text) =>
    text.replaceAll("http://127.0.0.1:4010", openai.origin),
  );

  const outcomes = await runPage("README.md", reader);

  expect(outcomes.length).toBeGreaterThan(3);
  expectShown(outcomes);
});

test.each(["github", "hubspot", "google", "slack", "salesforce", "microsoft"])(
  "the first integration with %s runs as written",
  async (id) => {
    await using vendor = await startVendor(id);
    const dev = apiOf(platform.url, env["SVC_SECRET_KEY_DEV"] ?? "");
    let connectionId = "";
    await using reader = await startReader(
      (text) => text.replaceAll("<connection_id>", connectionId),
      async ({ text }) => {
        // What the user does at the provider's pages between these steps.
        if (!text.includes("/connections?tags") || connectionId !== "") return;
        const { settings } = describeIntegration(vendor);
        await dev("PATCH", `/integrations/${id}`, { body: { settings } });
        const tags = { end_user_id: "user-1" };
        const body = { ...vendor.newConnection(), provider_config_key: id, tags };
        const created = await dev("POST", "/connections", { body });
        connectionId = created.body.connection_id;
      },
    );

    const outcomes = await runPage(`docs/first-integration/${id}.md`, reader);

    expect(outcomes).toHaveLength(5);
    expectShown(outcomes);
    expect(connectionId).not.toBe("");
    expect(outcomes[3]?.output).toContain(connectionId);
  },
);

test("what a page shows as JSON is JSON", async () => {
  const blocks = (
    await Promise.all(
      ["docs/connect.md", "docs/simulator.md", "docs/webhooks.md", "docs/production.md"].map(
        readBlocks,
      ),
    )
  ).flat();
  const faulty = blocks
    .filter(({ language }) => language === "json")
    .filter(({ text }) => {
      try {
        JSON.parse(text);
        return false;
      } catch {
        return true;
      }
    });

  expect(faulty).toEqual([]);
});

function expectShown(outcomes: readonly Outcome[]): void {
  const failed = outcomes
    .filter(({ code }) => code !== 0)
    .map(({ block, output, complaints }) => `${block.text}\n${output}${complaints}`);
  expect(failed).toEqual([]);
  for (const { shown, output } of outcomes) {
    if (shown !== undefined) expect(JSON.parse(output)).toMatchObject(Object(shown));
  }
}

async function startReader(
  replace: Reader["replace"],
  before?: Reader["before"],
): Promise<Reader & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "jackfield-docs-"));
  return {
    folder,
    env,
    replace,
    ...(before === undefined ? {} : { before }),
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}
