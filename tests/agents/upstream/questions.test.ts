import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Answer, startUpstreamApp, type UpstreamApp } from "./upstream-app.ts";

let upstream: UpstreamApp;

beforeAll(async () => {
  upstream = await startUpstreamApp();
});
beforeEach(async () => {
  await upstream.enter();
  await upstream.connect("ada-desk", "ada");
  await upstream.api("PUT", "/agent/upstreams/desk/allow", { allow: "all" });
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
});

const freely = {
  preset: "trusted",
  rules: [{ integration: "desk", tainted: true, verdict: "allow" }],
};
const create = { name: "desk__create_ticket", arguments: { title: "New" } };
const forms = { elicitation: { form: {}, url: {} } };
const manual = { allowInputRequired: true };

function countCreated(): number {
  return upstream.desk.asked.filter((each) => each === "tools/call create_ticket").length;
}

for (const server of ["modern", "legacy"] as const) {
  test(`a form of a ${server} server reaches the agent's user under the integration's name, and its answer the server`, async () => {
    upstream.desk.behave({ era: server, ask: "form" });
    await upstream.refresh();
    const { client } = await upstream.begin({ policy: freely, capabilities: forms });

    const asked: Answer = await client.callTool(create, manual);
    const [key = ""] = Object.keys(asked.inputRequests);
    const answer = { action: "accept" as const, content: { team: "Printers" } };
    const again: Answer = {
      ...create,
      inputResponses: { [key]: answer },
      requestState: asked.requestState,
    };
    const done: Answer = await client.callTool(again, manual);
    const replayed: Answer = await client.callTool(again, manual);

    expect(asked.inputRequests[key].params).toMatchObject({
      message: "Help desk asks: Which team is it for?",
      requestedSchema: { properties: { team: { type: "string", title: "Team" } } },
    });
    expect(asked.requestState).not.toContain("state of");
    expect(JSON.stringify(done.content)).toContain("Printers");
    expect(JSON.stringify(replayed)).toContain("has expired");
    expect(countCreated()).toBe(server === "modern" ? 2 : 1);
  });
}

test("an approved call continues after its server's question, without a second approval", async () => {
  upstream.desk.behave({ ask: "form" });
  const { client, call } = await upstream.begin({
    ...{ policy: { preset: "careful" }, capabilities: forms },
  });
  const waiting = await call(create.name, create.arguments);
  await upstream.api("POST", `/agent/approvals/${waiting.approval_id}`, { decision: "approve" });

  const asked: Answer = await client.callTool(create, manual);
  const [key = ""] = Object.keys(asked.inputRequests);
  const inputResponses = { [key]: { action: "accept" as const, content: { team: "Printers" } } };
  const again: Answer = { ...create, inputResponses, requestState: asked.requestState };
  const done: Answer = await client.callTool(again, manual);

  expect(JSON.stringify(done.content)).toContain("Printers");
});

test("an address of the server's own is passed on; a client that cannot open it reads it", async () => {
  upstream.desk.behave({ ask: "own_address" });
  const own = upstream.desk.origin.replace("http://", "https://");
  const opening = await upstream.begin({ policy: freely, capabilities: forms });
  const plain = await upstream.begin({ policy: freely });

  const asked: Answer = await opening.client.callTool(create, manual);
  const read = await plain.call(create.name, create.arguments);

  const [request] = Object.values<Answer>(asked.inputRequests);
  expect(request.params).toMatchObject({ mode: "url", url: `${own}/` });
  expect(read).toMatchObject({ code: "input_required", open_url: `${own}/` });
});

test("a server that asks on and on is asked no further by one call", async () => {
  upstream.desk.behave({ ask: "again_and_again" });
  const { client } = await upstream.begin({ policy: freely, capabilities: forms });
  let params: Parameters<typeof client.callTool>[0] = create;
  for (let round = 0; round < 3; round += 1) {
    const asked: Answer = await client.callTool(params, manual);
    const [key = ""] = Object.keys(asked.inputRequests ?? {});
    const inputResponses = { [key]: { action: "accept" as const, content: { team: "x" } } };
    const again: Answer = { ...create, inputResponses, requestState: asked.requestState };
    params = again;
  }

  expect(countCreated()).toBeLessThan(40);
});

test("a client without forms learns that the tool asks, and the server is not answered for its user", async () => {
  upstream.desk.behave({ ask: "form" });
  const { call } = await upstream.begin({ policy: freely });

  const answer = await call(create.name, create.arguments);

  expect(answer).toMatchObject({ code: "input_required" });
});
