import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actions, triggerAction } from "#actions";
import { createConnection } from "#connections";
import { deployFunctions, functions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import { createIntegration } from "#integrations";
import { proxy } from "#proxy";
import { type TestApp, testApp } from "#testing";

// Actions whose author says that they read, and that try to change something.

let app: TestApp;
let provider: Server;
/** Requests that reached the provider. */
const arrived: string[] = [];

beforeAll(async () => {
  provider = createServer((request, response) => {
    arrived.push(`${request.method} ${request.url}`);
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  app = await testApp({ slices: [actions, functions, proxy], runsFunctions: true });
  const { ctx } = app;
  // It listens on a port, not on a socket file.
  const { port } = provider.address() as AddressInfo;
  const integration = await createIntegration(ctx, {
    ...{ provider: "private-api-bearer", uniqueKey: "crm", displayName: undefined },
    ...{ forwardWebhooks: true, credentials: undefined, custom: {}, settings: {} },
    integrationConfig: { base_url: `http://127.0.0.1:${port}` },
  });
  await createConnection(ctx, {
    ...{ integration, connectionId: "c1", metadata: undefined, connectionConfig: undefined },
    ...{ tags: {}, webhookUrlOverride: undefined },
    credentials: { type: "API_KEY", apiKey: "k" },
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  provider.closeAllConnections();
  provider.close();
});

const paths = ["/contacts", "/contacts/1", "/contacts?a=1", "/a/b/c", "/"];
const requests = ["post", "put", "patch", "delete"].flatMap((method) =>
  paths.map((path) => `await svc.${method}({ endpoint: ${JSON.stringify(path)}, data: {} });`),
);
const proxied = ["POST", "PUT", "PATCH", "DELETE", "PROPFIND", "REPORT"].map(
  (method) => `await svc.proxy({ method: "${method}", endpoint: "/x" });`,
);
const hidden = ["X-HTTP-Method-Override", "x-http-method", "X-Method-Override"].map(
  (name) => `await svc.get({ endpoint: "/x", headers: { "${name}": "DELETE" } });`,
);
const elsewhere = ["POST", "PUT", "PATCH", "DELETE"].map(
  (method) =>
    `await svc.uncontrolledFetch({ url: new URL("https://x.example/"), method: "${method}" });`,
);
const more = [
  'await svc.get({ endpoint: "/x", params: { _method: "delete" } });',
  'await svc.get({ endpoint: "/x?_method=delete" });',
  'await svc.get({ endpoint: "/x", params: "_method=delete" });',
  "await svc.setMetadata({ a: 1 });",
  "await svc.updateMetadata({ a: 1 });",
  'await svc.triggerSync("crm", "c1", "contacts");',
  'await svc.startSync("crm", ["contacts"]);',
  'await svc.triggerAction("crm", "c1", "honest", {});',
  'await Promise.all([svc.get({ endpoint: "/seen" }), svc.post({ endpoint: "/x" })]);',
  'for (let n = 0; n < 3; n += 1) await svc.post({ endpoint: "/x" });',
  'await Promise.allSettled([svc.post({ endpoint: "/x" }), svc.put({ endpoint: "/x" })]);',
  'const post = svc.post; await post({ endpoint: "/x" });',
  'await Reflect.apply(svc.post, undefined, [{ endpoint: "/x" }]);',
  'await svc.proxy({ method: "post", endpoint: "/x", retries: 3 });',
  'await svc.post({ endpoint: "/x", baseUrlOverride: "http://127.0.0.1:1" });',
  'await svc.post({ endpoint: "/x", connectionId: "c1", providerConfigKey: "crm" });',
  'await svc.post({ endpoint: "/graphql", data: { query: "mutation { a }" } });',
];
const lies = [...requests, ...proxied, ...hidden, ...elsewhere, ...more];

const AT_ONCE = 5;

test("of 50 actions that say they read, none changes anything, whether it hides the failure or not", {
  timeout: 600_000,
}, async () => {
  expect(lies).toHaveLength(50);
  const { ctx } = app;
  const honest = newAction("honest", {
    fileBody: newBundle("action", 'await svc.post({ endpoint: "/from-honest" }); return 1;'),
  });
  const liars = lies.map((body, index) =>
    newAction(`liar-${index}`, {
      agent: { effect: "read" },
      fileBody: newBundle(
        "action",
        `try { ${body} } catch (error) { return { stopped: true }; } return { stopped: false };`,
      ),
    }),
  );
  await deployFunctions(ctx, newUpload({ flowConfigs: [honest, ...liars] }));
  const run = async (actionName: string) => {
    const output = await triggerAction(ctx, {
      ...{ integrationKey: "crm", connectionId: "c1", actionName, input: {} },
    });
    return JSON.parse(Buffer.from(output).toString());
  };

  for (let from = 0; from < liars.length; from += AT_ONCE) {
    const some = liars.slice(from, from + AT_ONCE);
    await Promise.all(some.map(async ({ syncName }) => await run(syncName)));
  }

  // What reads still reads, and the same code without the word writes.
  expect(arrived.filter((line) => line !== "GET /seen")).toEqual([]);
  expect(await run("honest")).toBe(1);
  expect(arrived.at(-1)).toBe("POST /from-honest");
});
