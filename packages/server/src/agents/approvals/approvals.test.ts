import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { HOUR, MINUTE } from "#foundation";
import { deployFunctions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import {
  type Answer,
  type CallTool,
  type CarefulApp,
  startCarefulApp,
} from "../testing/careful-app.ts";

let careful: CarefulApp;
beforeAll(async () => {
  careful = await startCarefulApp();
});
beforeEach(async () => {
  await careful.enter();
  await deploy({});
});
afterAll(async () => await careful[Symbol.asyncDispose]());

// What an action changes is its connection's metadata here: anybody can look whether it did.
const bodies = {
  note: `const before = await svc.getMetadata();
    await svc.updateMetadata({ note: input.note, count: (before.count ?? 0) + 1 });
    return "noted";`,
  look: "return await svc.getMetadata();",
  wipe: "await svc.setMetadata({}); return 'wiped';",
  maybe:
    "if (input.note === 'nothing') return 'nothing'; await svc.updateMetadata(input); return 'done';",
  shifty: `const { count = 0 } = await svc.getMetadata(); await svc.updateMetadata({ to: "person-" + count }); return "sent";`,
  stubborn: `try { await svc.updateMetadata({ a: 1 }); } catch { try { await svc.updateMetadata({ a: 2 }); } catch {} }
    return "all went well";`,
};

async function deploy(changed: Partial<typeof bodies>): Promise<void> {
  const effects: Record<string, "read" | "write" | "destructive"> = {
    ...{ look: "read", note: "write", wipe: "destructive" },
  };
  const flowConfigs = Object.entries({ ...bodies, ...changed }).map(([name, body]) => {
    const effect = effects[name];
    const fileBody = newBundle("action", body);
    const models = { input: "In", models_json_schema: { definitions: { In: { type: "object" } } } };
    const hints = effect === undefined ? {} : { agent: { effect } };
    return newAction(name, { fileBody, ...models, ...hints });
  });
  await deployFunctions(careful.ctx, newUpload({ flowConfigs }));
}

const look = async (call: CallTool) => await call("look");

test("who waits and what was decided is sent as a webhook, without the arguments", async () => {
  const { call } = await careful.begin();
  const sent = async () => {
    const { data } = await careful.api("GET", "/webhooks/deliveries?type=agent_approval");
    const bodies = [];
    for (const { id } of data.toReversed()) {
      const { data: delivery } = await careful.api("GET", `/webhooks/deliveries/${id}`);
      bodies.push(JSON.parse(delivery.body));
    }
    return bodies;
  };
  await call("note", { note: "nobody hears of it" });
  await careful.api("PATCH", "/environment/webhooks", { primary_url: "http://127.0.0.1:9/hook" });

  const first = await call("note", { note: "a secret of the user" });
  await call("note", { note: "a secret of the user" });
  await careful.decide(first.approval_id);
  const second = await call("wipe", {});
  // What is sent in the same millisecond is listed in any order.
  careful.app.clock.advance(1);
  await careful.api("POST", `/agent/approvals/${second.approval_id}`, { decision: "deny" });
  await careful.api("PATCH", "/environment/webhooks", { on_agent_approval: false });
  await call("note", { note: "nobody hears of this either" });

  const bodies = await sent();
  const about = { connectionId: "ada-crm", providerConfigKey: "crm", type: "agent_approval" };
  expect(bodies).toMatchObject([
    { ...about, operation: "waiting", approval: { id: first.approval_id, tool: "crm__note" } },
    { ...about, operation: "approved", approval: { id: first.approval_id, end_user_id: "ada" } },
    { ...about, operation: "waiting", approval: { id: second.approval_id, effect: "destructive" } },
    { ...about, operation: "denied", approval: { id: second.approval_id, state: "denied" } },
  ]);
  expect(JSON.stringify(bodies)).not.toContain("a secret of the user");
});

test("a write waits for a person, who sees what it would send, and is then made once", async () => {
  const { session, call } = await careful.begin();

  const first = await call("note", { note: "hello" });
  const again = await call("note", { note: "hello" });
  const before = await look(call);
  const { data: listed } = await careful.api("GET", "/agent/approvals?state=waiting");
  const { data: shown } = await careful.api("GET", `/agent/approvals/${first.approval_id}`);
  const decided = await careful.decide(first.approval_id);
  const made = await call("note", { note: "hello" });
  const after = await look(call);
  const third = await call("note", { note: "hello" });

  expect(first).toMatchObject({
    code: "approval_required",
    next: expect.stringContaining("again"),
  });
  expect(again.approval_id).toBe(first.approval_id);
  expect(before).toEqual({});
  expect(listed).toMatchObject([
    {
      ...{ id: first.approval_id, session_id: session.id, end_user_id: "ada", toolset: "helper" },
      ...{ tool: "crm__note", integration: "crm", connection_id: "ada-crm", effect: "write" },
      ...{ state: "waiting", scope: null, decided_at: null },
    },
  ]);
  expect(listed[0]).not.toHaveProperty("input");
  expect(shown).toMatchObject({
    input: { note: "hello" },
    request: {
      ...{ call: "setMetadata", method: null, url: null },
      details: { metadata: { note: "hello", count: 1 } },
    },
  });
  expect(decided).toMatchObject({ status: 200, data: { state: "approved", scope: "once" } });
  expect(made).toBe("noted");
  expect(after).toEqual({ note: "hello", count: 1 });
  expect(third.code).toBe("approval_required");
  expect(third.approval_id).not.toBe(first.approval_id);
});

test("an approval is for these arguments, this account and this version of the tool", async () => {
  const { call } = await careful.begin();
  const { approval_id: id } = await call("note", { note: "hello" });
  await careful.decide(id);

  const other = await call("note", { note: "hello!" });
  await deploy({ note: "await svc.updateMetadata({ note: 'something else' }); return 'noted';" });
  const changed = await call("note", { note: "hello" });

  expect([other.code, changed.code]).toEqual(["approval_required", "approval_required"]);
  expect(await look(call)).toEqual({});
});

test("a call that would send another request by now sends nothing", async () => {
  const { call } = await careful.begin();
  const { approval_id: id } = await call("shifty");
  await careful.decide(id);
  await careful.api("PATCH", "/connections/metadata", {
    ...{ connection_id: "ada-crm", provider_config_key: "crm", metadata: { count: 7 } },
  });

  const stale = await call("shifty");
  const again = await call("shifty");
  const { data } = await careful.api("GET", `/agent/approvals/${again.approval_id}`);

  expect(stale.code).toBe("approval_stale");
  expect(await look(call)).toEqual({ count: 7 });
  expect(data.request.details).toMatchObject({ metadata: { to: "person-7" } });
});

test("what is denied is not made, and the agent reads why", async () => {
  const { call } = await careful.begin();
  const { approval_id: id } = await call("note", { note: "hello" });
  await careful.decide(id, { decision: "deny", reason: "Not on a Friday." });

  const denied = await call("note", { note: "hello" });
  const late = await careful.decide(id);

  expect(denied).toMatchObject({
    code: "approval_denied",
    message: expect.stringContaining("Not on a Friday."),
  });
  expect(late).toMatchObject({ status: 409, error: { code: "conflict" } });
  expect(await look(call)).toEqual({});
});

test("a tool that changes nothing this time is not asked about", async () => {
  const { call } = await careful.begin();

  expect(await call("maybe", { note: "nothing" })).toBe("nothing");
  expect((await call("maybe", { note: "x" })).code).toBe("approval_required");
});

test("an action that does not give up changes nothing before it is approved, and says nothing else", async () => {
  const { call } = await careful.begin();

  const answer = await call("stubborn");

  expect(answer.code).toBe("approval_required");
  expect(await look(call)).toEqual({});
});

test("for the session: later calls of the tool for the account are made, destructive ones never", async () => {
  const { call } = await careful.begin();
  const { approval_id: id } = await call("note", { note: "one" });
  const { approval_id: wiping } = await call("wipe");

  await careful.decide(id, { decision: "approve", scope: "session" });
  const refused = await careful.decide(wiping, { decision: "approve", scope: "session" });
  const made = [await call("note", { note: "one" }), await call("note", { note: "two" })];
  const other = await call("maybe", { note: "x" });
  const elsewhere = await careful.begin();

  expect(made).toEqual(["noted", "noted"]);
  expect(refused).toMatchObject({ status: 400, error: { code: "invalid_body" } });
  expect(other.code).toBe("approval_required");
  expect((await elsewhere.call("note", { note: "one" })).code).toBe("approval_required");
});

test("rules come before the preset, the strictest of toolset and session holds, and denied tools are not there", async () => {
  const rules = [
    { action: "note", verdict: "allow" },
    { effect: "destructive", verdict: "deny" },
  ];
  const ruled = await careful.begin({ toolset: { preset: "careful", rules } });
  const { tools } = await ruled.client.listTools();
  const narrowed = await careful.begin({
    toolset: { preset: "trusted" },
    policy: { preset: "careful" },
  });
  const reading = await careful.begin({
    toolset: { preset: "trusted" },
    policy: { preset: "read_only" },
  });

  expect(await ruled.call("note", { note: "x" })).toBe("noted");
  expect((await ruled.call("maybe", { note: "x" })).code).toBe("approval_required");
  expect(tools.map(({ name }) => name)).not.toContain("crm__wipe");
  expect((await ruled.call("wipe")).code).toBe("unknown_tool");
  expect((await narrowed.call("note", { note: "x" })).code).toBe("approval_required");
  expect((await reading.call("note", { note: "x" })).code).toBe("unknown_tool");
  expect(await look(reading.call)).toMatchObject({ note: "x" });
});

test("a stricter version of the toolset holds at once for sessions that run", async () => {
  const { call } = await careful.begin({ toolset: { preset: "trusted" } });
  const before = await call("note", { note: "x" });

  const settings = { mode: "direct", tools: [{ integration: "crm" }] };
  await careful.api("PUT", "/agent/toolsets/helper", {
    ...settings,
    policy: { preset: "careful" },
  });
  careful.app.clock.advance(MINUTE);

  expect(before).toBe("noted");
  expect((await call("note", { note: "y" })).code).toBe("approval_required");
});

test("an approval ends with its time and with its session", async () => {
  const { call } = await careful.begin();
  const { approval_id: late } = await call("note", { note: "late" });
  careful.app.clock.advance(16 * MINUTE);
  const expired = await careful.decide(late);
  const { approval_id: asked } = await call("note", { note: "late" });
  const { session } = await careful.begin();
  const { approval_id: open } = await call("note", { note: "open" });
  const { data } = await careful.api("GET", `/agent/approvals/${open}`);
  await careful.api("DELETE", `/agent/sessions/${data.session_id}`);

  expect(expired).toMatchObject({
    status: 409,
    error: { message: expect.stringContaining("expired") },
  });
  expect(asked).not.toBe(late);
  expect(await careful.decide(open)).toMatchObject({ status: 409 });
  expect((await careful.api("GET", "/agent/approvals?state=waiting")).data).toEqual([]);
  expect((await careful.api("GET", `/agent/approvals?session_id=${session.id}`)).data).toEqual([]);
  careful.app.clock.advance(HOUR);
});

test("of ten calls at once with one approval, one is made", async () => {
  const { call } = await careful.begin();
  const { approval_id: id } = await call("note", { note: "once" });
  await careful.decide(id);

  const answers = await Promise.all(
    Array.from({ length: 10 }, () => call("note", { note: "once" })),
  );

  expect(answers.filter((each) => each === "noted")).toHaveLength(1);
  expect(answers.filter((each) => each.code === "approval_required")).toHaveLength(9);
  expect(await look(call)).toEqual({ note: "once", count: 1 });
});

test("at most fifty calls of a session wait", async () => {
  const { call } = await careful.begin();

  for (let n = 0; n < 50; n += 1) await call("note", { note: `n-${n}` });
  const over = await call("note", { note: "one more" });

  expect(over).toMatchObject({ code: "approval_required", message: /Too many/ });
  expect(over.approval_id).toBeUndefined();
});

test("waiting costs nothing of the budget, and each call is in the list with what became of it", async () => {
  const { session, call } = await careful.begin();
  const { approval_id: id } = await call("note", { note: "x" });
  await call("note", { note: "x" });
  await careful.decide(id);
  await call("note", { note: "x" });

  const { data } = await careful.api("GET", `/agent/sessions/${session.id}`);
  const { data: calls } = await careful.api("GET", `/agent/calls?session_id=${session.id}`);

  expect(data.used).toMatchObject({ calls: 1, writes: 1 });
  expect(calls.map(({ outcome, code }: Answer) => [outcome, code])).toEqual([
    ["success", null],
    ["refused", "approval_required"],
    ["failed", "approval_required"],
  ]);
});
