import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startGround } from "./ground.ts";

const WITHIN_MS = 1000;

test("what one process freezes, another refuses within a second", async () => {
  const upstream = createServer((_request, response) => response.end("{}"));
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const { port } = asTcpAddress(upstream.address());
  try {
    await using ground = await startGround(`http://127.0.0.1:${port}`);
    const [first, second] = [await ground.start("api"), await ground.start("api")];
    const ids = await ground.connect(first.api, 20);
    const proxy = async (id: string) => {
      const answer = await fetch(`${second.process.url}/proxy/contacts`, {
        headers: ground.headers(id),
      });
      const body = await answer.text();
      return answer.ok ? "ok" : JSON.parse(body).error.code;
    };
    // Twice, so that the second process has all at hand.
    const before = [];
    for (const id of [...ids, ...ids]) before.push(await proxy(id));

    const begun = await first.api("POST", "/revocations", {
      body: { match: { provider_config_key: "crm" } },
    });
    await sleep(WITHIN_MS);
    const after = await Promise.all(ids.map(proxy));
    const [id = ""] = ids;
    const read = await second.api("GET", `/connections/${id}?provider_config_key=crm`);
    const refreshed = await second.api(
      "POST",
      `/connections/${id}/refresh?provider_config_key=crm`,
    );
    const listed = await second.api("GET", "/connections?include=credentials&limit=50");
    const sent = await second.api("POST", "/proxy-requests", {
      body: { provider_config_key: "crm", connection_id: id, path: "/contacts" },
    });

    expect(new Set(before)).toEqual(new Set(["ok"]));
    expect(begun).toMatchObject({ status: 202, body: { data: { matched: 20 } } });
    expect(new Set(after)).toEqual(new Set(["connection_frozen"]));
    for (const answer of [read, refreshed, sent]) {
      expect(answer).toMatchObject({
        status: 424,
        body: { error: { code: "connection_frozen" } },
      });
    }
    for (const connection of listed.body.connections) {
      expect(connection.frozen_by).toBe(begun.body.data.id);
      expect(connection).not.toHaveProperty("credentials");
    }
  } finally {
    upstream.close();
  }
}, 120_000);

// A server that listens on TCP has an address of this form.
function asTcpAddress(address: unknown): AddressInfo {
  return address as AddressInfo;
}
