import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { listSigningKeys } from "#environments";
import { deployFunctions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import { type CallTool, type CarefulApp, startCarefulApp } from "../testing/careful-app.ts";

interface Asked {
  readonly headers: Record<string, string>;
  readonly body: string;
}

let careful: CarefulApp;
let policy: Server;
let url: string;
let asked: Asked[] = [];
/** What the policy's server answers; undefined: nothing, ever. */
let answer: { status?: number; body: string } | undefined;

beforeAll(async () => {
  policy = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      asked.push({ headers, body });
      if (answer !== undefined) response.writeHead(answer.status ?? 200).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => policy.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(policy.address() as AddressInfo).port}/policy`;
  careful = await startCarefulApp();
});
beforeEach(async () => {
  asked = [];
  await careful.enter();
  await careful.api("POST", "/environment/webhook-signing-key/rotate", {});
  const note = newAction("note", {
    fileBody: newBundle("action", "await svc.updateMetadata(input); return 'noted';"),
    ...{ input: "In", models_json_schema: { definitions: { In: { type: "object" } } } },
  });
  const look = newAction("look", {
    fileBody: newBundle("action", "return await svc.getMetadata();"),
    agent: { effect: "read" },
  });
  await deployFunctions(careful.ctx, newUpload({ flowConfigs: [note, look] }));
});
afterAll(async () => {
  await careful[Symbol.asyncDispose]();
  policy.closeAllConnections();
  policy.close();
});

async function begin(preset: "trusted" | "careful" = "trusted") {
  return await careful.begin({ toolset: { preset, url } });
}

function says(verdict: string, reason?: string): void {
  answer = { body: JSON.stringify({ verdict, reason }) };
}

const look = async (call: CallTool) => await call("look");

test("it is asked before each call, also one that reads, signed and with what the call would do", async () => {
  says("allow");
  const { session, call } = await begin();

  expect(await call("note", { note: "hello" })).toBe("noted");
  expect(await look(call)).toEqual({ note: "hello" });

  expect(asked.map(({ body }) => JSON.parse(body))).toMatchObject([
    {
      ...{ from: "svc", type: "agent_call", session_id: session.id, end_user_id: "ada" },
      ...{ toolset: "helper", tool: "crm__note", integration: "crm", action: "note" },
      ...{ effect: "write", connection_id: "ada-crm", verdict: "allow" },
      ...{ input: { note: "hello" }, input_bytes: 16 },
    },
    { tool: "crm__look", effect: "read" },
  ]);
  const [key] = await listSigningKeys(careful.ctx);
  const { body, headers } = asked[0] ?? { body: "", headers: {} };
  expect(new Webhook(key?.key.reveal() ?? "").verify(body, headers)).toMatchObject({
    type: "agent_call",
  });
});

test("the stricter of rules and answer holds", async () => {
  says("deny", "Ada is on leave.");
  const { call } = await begin();
  const denied = await call("note", { note: "a" });
  says("ask");
  const waits = await call("note", { note: "b" });
  says("allow");
  const careful2 = await begin("careful");
  const waitsByRule = await careful2.call("note", { note: "c" });

  expect(denied).toMatchObject({ code: "policy_denied" });
  expect(denied.message).toContain("Ada is on leave.");
  expect(waits).toMatchObject({ code: "approval_required" });
  expect(waitsByRule).toMatchObject({ code: "approval_required" });
  expect(await look(call)).toEqual({});
});

test("an approved call is still the policy's to deny", async () => {
  says("ask");
  const { call } = await begin();
  const waits = await call("note", { note: "a" });
  await careful.decide(waits.approval_id);
  says("deny");

  expect(await call("note", { note: "a" })).toMatchObject({ code: "policy_denied" });
  expect(await look(call)).toMatchObject({ code: "policy_denied" });
  says("ask");
  expect(await call("note", { note: "a" })).toBe("noted");
});

test.each([
  ["a status of 500", { status: 500, body: '{"verdict":"allow"}' }],
  ["no JSON", { body: "yes" }],
  ["another verdict", { body: '{"verdict":"of course"}' }],
  ["a redirect", { status: 302, body: '{"verdict":"allow"}' }],
  ["an answer of a megabyte", { body: `{"verdict":"allow","x":"${"x".repeat(1024 * 1024)}"}` }],
  ["nothing", undefined],
])("%s lets nothing through", async (_, given) => {
  answer = given;
  const { call } = await begin();

  const startedAt = performance.now();
  const denied = await call("note", { note: "a" });

  expect(denied).toMatchObject({ code: "policy_denied" });
  expect(denied.message).toContain("could not be asked");
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  says("allow");
  expect(await look(call)).toEqual({});
});

test("long arguments are left out, and an address that is not allowed is no policy", async () => {
  says("allow");
  const { call } = await begin();
  const note = "x".repeat(70_000);

  expect(await call("note", { note: note.slice(0, 60_000) })).toBe("noted");
  await call("note", { note });
  const refused = await careful.api("PUT", "/agent/toolsets/other", {
    tools: [{ integration: "crm" }],
    policy: { preset: "trusted", url: "http://169.254.169.254/latest" },
  });

  const bodies = asked.map(({ body }) => JSON.parse(body));
  expect(bodies[0].input.note).toHaveLength(60_000);
  expect(bodies[1]).toMatchObject({ input: null, input_bytes: 70_011 });
  expect(refused).toMatchObject({ status: 400, error: { code: "destination_not_allowed" } });
});
