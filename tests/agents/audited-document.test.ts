import { expect, test } from "vitest";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";

const document = (title: string) =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title, version: "1" },
    paths: { "/contacts": { get: { operationId: "listContacts", responses: { 200: {} } } } },
  });

test("who gave an integration its API document, and who removed it, is in the audit log", {
  timeout: 240_000,
}, async () => {
  await using folder = await makeDataFolder();
  const platform = await startPlatformProcess({ dataDir: folder.path, readyWithinMs: 150_000 });
  const api = async (method: string, path: string, body?: object, key = "dev") => {
    const response = await fetch(`${platform.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${platform.keys.get(key)}`,
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  try {
    await api("POST", "/integrations", {
      ...{ provider: "private-api-bearer", unique_key: "crm" },
      integration_config: { base_url: "https://api.example.com" },
    });

    const put = await api("PUT", "/integrations/crm/openapi", { document: document("One") });
    const refused = await api("PUT", "/integrations/crm/openapi", { document: "{}" });
    const removed = await api("DELETE", "/integrations/crm/openapi");
    const rowsOf = async (action: string) =>
      (await api("GET", `/audit?action=${action}`, undefined, "account")).body.data;
    const rows = [...(await rowsOf("putApiDocument")), ...(await rowsOf("deleteApiDocument"))];

    expect([put.status, removed.status]).toEqual([200, 204]);
    expect(refused.status).toBe(400);
    expect(rows).toMatchObject([
      { action: "putApiDocument", outcome: "done", target: expect.anything() },
      { action: "deleteApiDocument", outcome: "done" },
    ]);
  } finally {
    await platform.stop();
  }
});
