import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { tlsCertificates } from "#foundation/egress/testing";
import { Browser } from "../testing/browser.ts";
import { connectFirstSdk } from "../testing/first-sdk.ts";
import { type OauthApp, REDIRECT, startOauthApp } from "../testing/oauth-app.ts";
import { connectByUrl } from "../testing/oauth-client.ts";

// The official clients know a URL, and nothing else.

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const question = JSON.stringify({ message: "Who is it?", schema: form });

let app: OauthApp;
let url: string;
let documents: Server;
let documentUrl: string;
beforeAll(async () => {
  documents = createServer(tlsCertificates.server, (_request, response) => {
    const document = {
      ...{ client_id: documentUrl, client_name: "Known app", redirect_uris: [REDIRECT] },
      ...{ token_endpoint_auth_method: "none", response_types: ["code"] },
      grant_types: ["authorization_code", "refresh_token"],
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => documents.listen(0, "127.0.0.1", resolve));
  // It listens on a port, not on a socket file.
  documentUrl = `https://127.0.0.1:${(documents.address() as AddressInfo).port}/client.json`;
  app = await startOauthApp({ authorities: [tlsCertificates.authority] });
  await app.deploy("whose", "return (await svc.getConnection()).connection_id;", "read");
  const ask = `const { action, content } = await svc.elicit(${question}); return action + " " + content.name;`;
  await app.deploy("ask", ask, "read");
  url = (await app.putToolset("support")).mcp_url;
});
beforeEach(() => app.app.clock.advance(MINUTE));
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  documents.closeAllConnections();
  documents.close();
});

const answer = { action: "accept" as const, content: { name: "Ada" } };
const ways = ["its metadata document", "registration"] as const;
const documentOf = (way: (typeof ways)[number]) =>
  way === "registration" ? undefined : documentUrl;

test.each(ways)("the SDK 1.x, known by %s, connects, lists, calls and is asked", async (way) => {
  const options = { browser: new Browser(), documentUrl: documentOf(way) };
  const { client, clientId } = await connectFirstSdk(url, options);
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return answer;
  });

  const { tools } = await client.listTools();
  const called = await client.callTool({ name: "crm__whose", arguments: {} });
  const answered = await client.callTool({ name: "crm__ask", arguments: {} });
  await client.close();

  expect(clientId === documentUrl).toBe(way !== "registration");
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["crm__ask", "crm__whose"]));
  expect(called.content).toEqual([{ type: "text", text: '"ada-crm"' }]);
  expect(asked).toEqual(["Who is it?"]);
  expect(answered.content).toEqual([{ type: "text", text: '"accept Ada"' }]);
});

const eras = ["legacy", "auto"] as const;

test.each(ways.flatMap((way) => eras.map((mode) => ({ way, mode }))))(
  "the client 2.x, known by $way, connects in the mode $mode, lists, calls and is asked",
  async ({ way, mode }) => {
    const { client } = await connectByUrl(url, {
      ...{ browser: new Browser(), documentUrl: documentOf(way) },
      options: { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
    });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return answer;
    });

    const { tools } = await client.listTools();
    const called = await client.callTool({ name: "crm__whose", arguments: {} });
    const answered = await client.callTool({ name: "crm__ask", arguments: {} });
    const revision = client.getNegotiatedProtocolVersion();
    await client.close();

    expect(revision).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
    expect(tools.map(({ name }) => name)).toContain("crm__ask");
    expect(called.content).toEqual([{ type: "text", text: '"ada-crm"' }]);
    expect(asked).toEqual(["Who is it?"]);
    expect(answered.content).toEqual([{ type: "text", text: '"accept Ada"' }]);
  },
);
