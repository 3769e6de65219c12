import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "./api-under-test.ts";
import {
  largestDeployments,
  largestInputs,
  newAction,
  newDeployment,
} from "./cost/largest-bodies.ts";

// The largest bodies that are valid are taken. What they cost is measured by tests/chaos/large-bodies.chaos.ts.

let api: ApiUnderTest;
let headers: Record<string, string>;
beforeAll(async () => {
  api = await startApi();
  headers = {
    "content-type": "application/json",
    authorization: `Bearer ${await api.keyOf("dev", ["environment:*"])}`,
    "provider-config-key": "crm",
    "connection-id": "acme",
  };
  const integration_config = { base_url: "https://api.example.com" };
  const integration = { unique_key: "crm", provider: "private-api-bearer", integration_config };
  await post("/integrations", integration);
  const credentials = { type: "API_KEY", apiKey: "k" };
  await post("/connections", {
    ...{ provider_config_key: "crm", connection_id: "acme", credentials },
  });
});
afterAll(async () => {
  // A dump of all of them is more than a text may hold.
  await sql`truncate function_versions, functions, function_bundles cascade`.execute(
    api.database.db,
  );
  await api[Symbol.asyncDispose]();
});

async function post(path: string, body: object): Promise<string> {
  const sent = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`${api.url}${path}`, sent);
  const text = await answer.text();
  expect(answer.ok, text.slice(0, 500)).toBe(true);
  return text;
}

test.each(largestDeployments)(
  "a deployment is taken whole: %s",
  async (_name, count, characters) => {
    await post("/sync/deploy", newDeployment(0, count, characters));

    const { rows } = await api.database.pool.query(
      "select count(*)::int as count from functions where name like $1",
      [`0-${count}-%`],
    );
    expect(rows).toEqual([{ count }]);
  },
);

test.each(largestInputs)("10 MB go through an action: %s", async (_name, input) => {
  await post("/sync/deploy", {
    flowConfigs: [newAction("echo", 10)],
    reconcile: false,
    debug: false,
  });

  const answer = await post("/action/trigger", { action_name: "echo", input });

  expect(JSON.parse(answer)).toEqual(input);
});
