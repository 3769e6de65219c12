import assert from "node:assert";
import { createServer } from "node:http";
import { getProvider, readProvider, setAddedProviders } from "@jackfield/catalogue";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AuthSubject } from "#auth-modes";
import type { EnvironmentContext } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import type { Integration } from "#integrations";
import { ensureLogPartitions } from "#logs";
import { callProvider } from "../call-provider.ts";
import { type FastPathServer, startFastPath } from "../testing/fast-path-server.ts";
import {
  callProxy,
  type Prepared,
  type ProxyServer,
  prepareConnection,
  startProxy,
} from "../testing/proxy-under-test.ts";
import { chooseBaseUrl } from "./choose-base-url.ts";
import { toTarget } from "./target.ts";

// Functions and backends that come from elsewhere write paths with or without the path of the base URL.
test.each([
  [
    "exact-online",
    { extension: "nl" },
    "https://start.exactonline.nl/api/v1/current/Me",
    ["/v1/current/Me", "/api/v1/current/Me"],
  ],
  [
    "workable",
    { subdomain: "acme" },
    "https://acme.workable.com/spi/v3/jobs?limit=1",
    ["jobs?limit=1", "/spi/v3/jobs?limit=1"],
  ],
  [
    "jira",
    { cloudId: "11-22" },
    "https://api.atlassian.com/ex/jira/11-22/rest/api/3/myself",
    ["/rest/api/3/myself", "/ex/jira/11-22/rest/api/3/myself"],
  ],
  [
    "jira",
    { cloudId: "11-22" },
    "https://api.atlassian.com/ex/jira/33-44/rest",
    ["/ex/jira/33-44/rest"],
  ],
  [
    "jira",
    {},
    "https://api.atlassian.com/oauth/token/accessible-resources",
    ["/oauth/token/accessible-resources", "oauth/token/accessible-resources"],
  ],
  [
    "confluence",
    { cloudId: "1" },
    "https://api.atlassian.com/ex/confluence/1/wiki/api/v2/pages",
    ["/wiki/api/v2/pages", "/ex/confluence/1/wiki/api/v2/pages"],
  ],
  ["zoom-cc", {}, "https://api.zoom.us/v2/users", ["/users", "/v2/users"]],
  ["grist", { environment: "docs" }, "https://docs.getgrist.com/api/orgs", ["/orgs", "/api/orgs"]],
  [
    "paycom",
    {},
    "https://api.paycomonline.net/v4/rest/index.php/api/v1/employeeid",
    ["/employeeid", "/v4/rest/index.php/api/v1/employeeid"],
  ],
  ["emarsys", {}, "https://api.emarsys.net/api/v2/settings", ["/v2/settings", "/api/v2/settings"]],
  [
    "fathom",
    {},
    "https://api.fathom.ai/external/v1/meetings",
    ["/meetings", "/external/v1/meetings"],
  ],
  ["fillout", {}, "https://api.fillout.com/v1/api/forms", ["/forms", "/v1/api/forms"]],
  [
    "zoho-mail",
    { extension: "eu" },
    "https://mail.zoho.eu/api/accounts",
    ["/accounts", "/api/accounts"],
  ],
  [
    "netsuite-tba",
    { accountId: "1" },
    "https://1.suitetalk.api.netsuite.com/services/rest/record/v1/customer",
    ["/customer", "/services/rest/record/v1/customer"],
  ],
  [
    "netsuite-tba",
    { accountId: "1" },
    "https://1.suitetalk.api.netsuite.com/services/rest/query/v1/suiteql",
    ["/services/rest/query/v1/suiteql"],
  ],
  [
    "google-analytics",
    {},
    "https://www.googleapis.com/analytics/v3/management/accounts",
    ["/analytics/v3/management/accounts"],
  ],
  [
    "google-analytics",
    {},
    "https://analyticsdata.googleapis.com/v1beta/properties/1:runReport",
    ["/v1beta/properties/1:runReport"],
  ],
])("%s with %j: %s", (id, connectionConfig, address, paths) => {
  const provider = getProvider(id);
  assert(provider !== undefined);
  const subject: AuthSubject = {
    provider,
    integrationCredentials: undefined,
    integrationConfig: {},
    connectionConfig,
  };
  const integration = Object({ uniqueKey: id, settings: {} }) satisfies Integration;

  for (const path of paths) {
    const wanted = { path, override: undefined };
    const base = chooseBaseUrl({ kind: "system" }, integration, subject, wanted);
    const target = toTarget(base, path);

    expect(target.origin + target.path).toBe(address);
  }
});

let installation: TestContext;
let ctx: EnvironmentContext;
let proxy: ProxyServer;
let server: FastPathServer;
let prepared: Prepared;
const seen: string[] = [];
const upstream = createServer((request, response) => {
  seen.push(request.url ?? "");
  response.end("ok");
});

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const address = upstream.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const { provider, faults } = readProvider({
    id: "two-addresses",
    display_name: "Two addresses",
    categories: ["other"],
    auth_mode: "API_KEY",
    base_url: "{{integration.address}}/records/v1",
    other_base_urls: [{ paths: ["/services/query"], base_url: "{{integration.address}}" }],
    api_key: { placement: "header", name: "x-key", value: "{{credentials.apiKey}}" },
    integration_config: { address: { title: "Address", format: "base_url" } },
  });
  assert(provider !== undefined && faults.length === 0, faults.join());
  setAddedProviders([provider]);
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
  proxy = await startProxy(ctx);
  server = await startFastPath(ctx);
  prepared = await prepareConnection(ctx, {
    baseUrl: "",
    provider: "two-addresses",
    integrationConfig: { address: `http://127.0.0.1:${port}` },
  });
});
afterAll(async () => {
  setAddedProviders([]);
  await server[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});
beforeEach(async () => {
  seen.length = 0;
  await server.warm(prepared);
});

test.each([
  ["/customers?a=1", "/records/v1/customers?a=1"],
  ["/records/v1/customers", "/records/v1/customers"],
  ["/records/v10", "/records/v1/records/v10"],
  ["/services/query/v1?q=x", "/services/query/v1?q=x"],
  ["/services/query-other", "/records/v1/services/query-other"],
])("the proxy, its fast path and functions send %s to %s", async (path, sent) => {
  server.passedOn.length = 0;

  await callProxy(proxy, prepared, { path: `/proxy${path}` });
  await callProxy(server, prepared, { path: `/proxy${path}` });
  await callProvider(ctx, {
    ...prepared,
    ...{ method: "GET", endpoint: path, query: [], headers: {}, body: undefined },
    ...{ baseUrlOverride: undefined, retries: 0, retryOn: [] },
    ...{ decompress: false, followRedirects: true },
  });

  expect(seen).toEqual([sent, sent, sent]);
  expect(server.passedOn).toEqual([]);
});

test("an integration with a base URL of its own has all paths there", async () => {
  const { port } = Object(upstream.address());
  const settings = { overrides: { base_url: `http://127.0.0.1:${port}/sandbox` } };
  const moved = await prepareConnection(ctx, {
    baseUrl: "",
    provider: "two-addresses",
    integrationConfig: { address: "https://example.com" },
    settings,
  });

  await callProxy(proxy, moved, { path: "/proxy/services/query/v1" });

  expect(seen).toEqual(["/sandbox/services/query/v1"]);
});
