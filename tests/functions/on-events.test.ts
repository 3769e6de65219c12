import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { apiOf } from "../journeys/api.ts";
import { type FunctionsUnderTest, onEventSource, startFunctions } from "./setup.ts";

let platform: FunctionsUnderTest;
let connectionId = "";
let made = 0;
beforeAll(async () => {
  platform = await startFunctions();
});
afterAll(async () => await platform[Symbol.asyncDispose]());
beforeEach(() => {
  made += 1;
  connectionId = `customer-${made}`;
});

async function deploy(name: string, event: string, statements: string): Promise<void> {
  const { body } = await platform.call("POST", "/functions/deployments", {
    body: {
      type: "function",
      integration_id: "crm",
      function_name: name,
      function_type: "on-event",
      code: onEventSource(event, statements),
    },
  });
  const job = await platform.ended(`/functions/deployments/${body.id}`);
  expect(job).toMatchObject({ status: "success" });
}

async function remove(name: string): Promise<void> {
  await platform.call("DELETE", `/integrations/crm/functions/${name}?type=on-event`);
}

async function connect() {
  return await platform.call("POST", "/connections", {
    body: {
      provider_config_key: "crm",
      connection_id: connectionId,
      credentials: { type: "API_KEY", apiKey: "canary-token" },
    },
  });
}

const exists = async () =>
  (await platform.call("GET", `/connections/${connectionId}?provider_config_key=crm`)).status;

async function operations(action: string) {
  const query = `types=events:${action}&connections=${connectionId}`;
  return (await platform.call("GET", `/logs/operations?${query}`)).body.data;
}

test("a connection that the check refuses is not made, and the check's words are the answer", async () => {
  await deploy(
    "check",
    "validate-connection",
    `const { data } = await svc.get({ endpoint: "/me" });
     throw new svc.ActionError({ message: "no account " + data.path });`,
  );

  const answer = await connect();

  expect([answer.status, answer.body.error]).toMatchObject([
    400,
    { code: "connection_validation_failed", message: "no account /me" },
  ]);
  expect(await exists()).toBe(404);
  expect(await operations("validate_connection")).toMatchObject([
    { state: "failed", function: { name: "check" } },
  ]);
  // A caller that was refused finds nothing from then on, though the check itself has used the connection.
  for (let round = 0; round < 10; round += 1) {
    expect((await connect()).status).toBe(400);
    expect(await exists()).toBe(404);
  }
  await remove("check");
});

test("a check that passes lets the connection be made; a disabled one is not asked", async () => {
  await deploy("check", "validate-connection", `await svc.get({ endpoint: "/fine" });`);
  const passed = await connect();
  await deploy("check", "validate-connection", `throw new Error("no");`);
  await platform.call("PATCH", "/integrations/crm/functions/check", { body: { enabled: false } });
  connectionId = `${connectionId}-again`;

  const unasked = await connect();

  expect(passed.status).toBeLessThan(300);
  expect(unasked.status).toBeLessThan(300);
  await remove("check");
});

test("after a creation its functions run, each by itself, and a failure is only logged", async () => {
  await deploy("fails", "post-connection-creation", `throw new Error("broken");`);
  await deploy(
    "welcome",
    "post-connection-creation",
    `await svc.setMetadata({ welcomed: svc.connectionId });`,
  );

  const answer = await connect();

  expect(answer.status).toBeLessThan(300);
  const ran = await vi.waitFor(
    async () => {
      const found = await operations("post_connection_creation");
      expect(found).toHaveLength(2);
      for (const { state } of found) expect(state).not.toBe("running");
      return found;
    },
    { timeout: 20_000, interval: 50 },
  );
  const states = ran.map((each: Record<string, { name: string }>) => [
    each["function"]?.name,
    each["state"],
  ]);
  expect(Object.fromEntries(states)).toEqual({ fails: "failed", welcome: "success" });
  const { body } = await platform.call(
    "GET",
    `/connections/${connectionId}?provider_config_key=crm`,
  );
  expect(body.metadata).toEqual({ welcomed: connectionId });
  await remove("fails");
  await remove("welcome");
});

test("before a deletion its functions run with the connection, and none keeps it back", async () => {
  await deploy("a-stop", "pre-connection-deletion", `await svc.delete({ endpoint: "/hooks/1" });`);
  await deploy("b-fails", "pre-connection-deletion", `throw new Error("broken");`);
  await connect();

  const path = `/connections/${connectionId}?provider_config_key=crm`;
  const answer = await platform.call("DELETE", path);

  expect(answer.status).toBe(200);
  expect(platform.provider.asked.at(-1)).toEqual({
    path: "/hooks/1",
    authorization: "Bearer canary-token",
  });
  expect(await exists()).toBe(404);
  expect(await operations("pre_connection_deletion")).toMatchObject([
    { function: { name: "b-fails" }, state: "failed" },
    { function: { name: "a-stop" }, state: "success" },
  ]);
  await remove("a-stop");
  await remove("b-fails");
});

test("functions before a deletion run for each connection that goes with its integration or environment", async () => {
  const account = apiOf(platform.api.url, await platform.api.keyOf("account", ["account:*"]));
  const { body } = await account("POST", "/environments", { body: { name: "doomed" } });
  const inside = apiOf(platform.api.url, body.data.api_key.secret);
  for (const call of [platform.call, inside]) {
    const integration = {
      provider: "private-api-bearer",
      unique_key: "leaving",
      integration_config: { base_url: platform.provider.url },
    };
    expect((await call("POST", "/integrations", { body: integration })).status).toBe(200);
    const fn = {
      type: "function",
      integration_id: "leaving",
      function_name: "stop",
      function_type: "on-event",
      code: onEventSource(
        "pre-connection-deletion",
        `await svc.delete({ endpoint: "/stop/" + svc.connectionId });`,
      ),
    };
    const started = await call("POST", "/functions/deployments", { body: fn });
    const job = await platform.ended(`/functions/deployments/${started.body.id}`, call);
    expect(job).toMatchObject({ status: "success" });
    for (const name of ["one", "two", "three"]) {
      const connection = {
        provider_config_key: "leaving",
        connection_id: call === inside ? `inside-${name}` : name,
        credentials: { type: "API_KEY", apiKey: "canary-token" },
      };
      expect((await call("POST", "/connections", { body: connection })).status).toBe(201);
    }
  }
  const stopped = () =>
    platform.provider.asked.map(({ path }) => path).filter((path) => path.startsWith("/stop/"));

  const deleted = await platform.call("DELETE", "/integrations/leaving");
  const afterDeletion = stopped();
  const gone = await platform.call("GET", "/integrations/leaving");
  await account("DELETE", `/environments/${body.data.id}`);

  expect([deleted.status, gone.status]).toEqual([200, 404]);
  expect(afterDeletion.toSorted()).toEqual(["/stop/one", "/stop/three", "/stop/two"]);
  await vi.waitFor(
    () => {
      const inEnvironment = stopped().filter((path) => path.includes("inside-"));
      expect(inEnvironment).toHaveLength(3);
    },
    { timeout: 30_000, interval: 100 },
  );
});
