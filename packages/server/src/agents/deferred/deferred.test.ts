import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { HOUR, MINUTE } from "#foundation";
import { deployFunctions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import { type Answer, type CarefulApp, startCarefulApp } from "../testing/careful-app.ts";
import { followTasks, type TaskClient } from "../testing/task-client.ts";

let careful: CarefulApp;
beforeAll(async () => {
  careful = await startCarefulApp({ mcpTaskAfterMs: 2000 });
});
beforeEach(async () => {
  await careful.enter();
  const models = { input: "In", models_json_schema: { definitions: { In: { type: "object" } } } };
  const flowConfigs = Object.entries(bodies).map(([name, body]) =>
    newAction(name, { fileBody: newBundle("action", body), ...models }),
  );
  await deployFunctions(careful.ctx, newUpload({ flowConfigs }));
});
afterAll(async () => await careful[Symbol.asyncDispose]());

const bodies = {
  note: `const before = await svc.getMetadata();
    await svc.updateMetadata({ note: input.note, count: (before.count ?? 0) + 1 });
    return "noted";`,
  slow: "await new Promise((done) => setTimeout(done, 6000)); return { done: true };",
  "slow-question": `const answer = await svc.elicit({ key: "name", message: "Who?", schema: {
      type: "object", properties: { name: { type: "string" } }, required: ["name"] } });
    await new Promise((done) => setTimeout(done, input.pause ?? 0));
    return { name: answer.content.name };`,
  late: `await new Promise((done) => setTimeout(done, 3000));
    const answer = await svc.elicit({ key: "name", message: "Who?", schema: {
      type: "object", properties: { name: { type: "string" } }, required: ["name"] } });
    return { name: answer.content.name };`,
};

const tokens = new Map<string, string>();

async function begin(settings: object = {}, capabilities: object = {}): Promise<TaskClient> {
  const { session } = await careful.begin({ settings });
  tokens.set(session.id, session.token);
  return followTasks(careful.url, session, capabilities);
}

async function waitFor(client: TaskClient, taskId: string, status: string): Promise<Answer> {
  let task: Answer;
  await expect
    .poll(
      async () => {
        task = await client.get(taskId);
        return task.result?.status;
      },
      { timeout: 40_000 },
    )
    .toBe(status);
  return task.result;
}

async function findApproval(): Promise<string> {
  const { data } = await careful.api("GET", "/agent/approvals?state=waiting");
  return data[0].id;
}

async function metadata(): Promise<Answer> {
  const { data } = await careful.api("GET", "/agent/approvals");
  return data;
}

test("a call that waits for approval is a task, which is made once it is approved, and only once", async () => {
  const client = await begin();

  const created = await client.call("note", { note: "hello" });
  const waiting = await client.get(created.result.taskId);
  await careful.decide(await findApproval());
  const polls = await Promise.all(
    Array.from({ length: 5 }, async () => await client.get(created.result.taskId)),
  );
  const ended = await waitFor(client, created.result.taskId, "completed");
  const again = await client.get(created.result.taskId);
  const { data: calls } = await careful.api("GET", "/agent/calls");

  expect(created.result).toMatchObject({
    ...{ resultType: "task", status: "working", pollIntervalMs: 5000, ttlMs: HOUR },
    statusMessage: "A person has to approve this call.",
  });
  expect(created.result).not.toHaveProperty("content");
  expect(waiting.result).toMatchObject({ resultType: "complete", status: "working" });
  expect(polls.map(({ result }) => result.status)).toEqual(
    expect.arrayContaining([expect.stringMatching(/working|completed/)]),
  );
  expect(ended.result.content).toEqual([{ type: "text", text: '"noted"' }]);
  expect(again.result).toEqual({ ...ended });
  const made = calls.filter(({ outcome }: Answer) => outcome === "success");
  expect(made).toHaveLength(1);
});

test("a denied call ends as one, and one that nobody decides about ends with its time", async () => {
  const client = await begin();

  const denied = await client.call("note", { note: "no" });
  await careful.decide(await findApproval(), { decision: "deny", reason: "not today" });
  await client.get(denied.result.taskId);
  const end = await waitFor(client, denied.result.taskId, "completed");
  const forgotten = await client.call("note", { note: "later" });
  careful.app.clock.advance(16 * MINUTE);
  const late = await client.get(forgotten.result.taskId);

  expect(end.result).toMatchObject({ isError: true });
  expect(end.result.content[0].text).toContain("not today");
  expect(late.result).toMatchObject({ status: "completed", result: { isError: true } });
  expect(late.result.result.content[0].text).toContain("Nobody has approved");
});

test("what is cancelled is not done, also when it is approved at the same moment", async () => {
  const client = await begin();

  const created = await client.call("note", { note: "stop" });
  const approvalId = await findApproval();
  const cancelled = await client.cancel(created.result.taskId);
  const decision = await careful.decide(approvalId);
  const after = await client.get(created.result.taskId);
  const racing = await client.call("note", { note: "race" });
  const racingId = await findApproval();
  await Promise.all([client.cancel(racing.result.taskId), careful.decide(racingId)]);
  const end = await client.get(racing.result.taskId);
  const { data: calls } = await careful.api("GET", "/agent/calls");

  expect(cancelled.result).toMatchObject({ resultType: "complete" });
  expect(decision.error).toMatchObject({ code: "conflict" });
  expect([after.result.status, end.result.status]).toEqual(["cancelled", "cancelled"]);
  expect(calls.filter(({ outcome }: Answer) => outcome === "success")).toEqual([]);
  expect((await metadata()).map(({ state }: Answer) => state)).not.toContain("used");
});

test("a task is its session's own, ends with it, and is for clients that have tasks", async () => {
  const client = await begin();
  const other = await begin();
  const created = await client.call("note", { note: "mine" });
  const { taskId } = created.result;

  const foreign = [
    await other.get(taskId),
    await other.cancel(taskId),
    await other.update(taskId, {}),
  ];
  const unknown = await client.get("no-task");
  const undeclared = await client.get(taskId, {});
  const plain = await client.call("note", { note: "plain" }, {});
  const own = await client.get(taskId);
  await careful.api("DELETE", `/agent/sessions/${client.sessionId}`);
  const { data } = await careful.api("GET", "/agent/approvals?state=waiting");

  for (const each of [...foreign, unknown]) expect(each.error).toMatchObject({ code: -32_602 });
  expect(undeclared.error).toMatchObject({
    ...{ code: -32_021, data: { requiredCapabilities: { extensions: expect.anything() } } },
  });
  expect(plain.result).toMatchObject({ resultType: "complete", isError: true });
  expect(own.result).toMatchObject({ status: "working" });
  expect(data).toEqual([]);
});

test("a session has room for fifty tasks that wait; a call beyond them is answered as before", async () => {
  const client = await begin({ budget: {} });
  const answers = [];
  for (let n = 0; n < 50; n += 1) answers.push(await client.call("note", { note: `n${n}` }));

  const beyond = await client.call("note", { note: "one more" });

  expect(answers.filter(({ result }) => result.resultType === "task")).toHaveLength(50);
  expect(beyond.result).toMatchObject({ resultType: "complete", isError: true });
});

test("a question before the task is asked at once, and its answer holds for the call that is approved", {
  timeout: 60_000,
}, async () => {
  const client = await begin({ policy: { preset: "trusted" } }, { elicitation: { form: {} } });

  const asked = await client.call("slow-question", { pause: 3000 });
  const created = await client.call("slow-question", { pause: 3000 }, undefined, {
    ...{ requestState: asked.result.requestState },
    inputResponses: { name: { action: "accept", content: { name: "Ada" } } },
  });
  const end = await waitFor(client, created.result.taskId, "completed");

  expect(asked.result).toMatchObject({ resultType: "input_required" });
  expect(created.result).toMatchObject({ resultType: "task", status: "working" });
  expect(JSON.parse(end.result.content[0].text)).toEqual({ name: "Ada" });
});

test("a long call is a task that asks, takes the answer once, and can be read by the official client", {
  timeout: 120_000,
}, async () => {
  const client = await begin({ policy: { preset: "trusted" } }, { elicitation: { form: {} } });

  const created = await client.call("late", {});
  const { taskId } = created.result;
  const asking = await waitFor(client, taskId, "input_required");
  const [key = ""] = Object.keys(asking.inputRequests);
  const answer = { action: "accept", content: { name: "Grace" } };
  const strange = await client.update(taskId, { other: answer });
  const still = await client.get(taskId);
  const taken = await Promise.all(
    [1, 2].map(async () => await client.update(taskId, { [key]: answer })),
  );
  const end = await waitFor(client, taskId, "completed");
  const official = new Client(
    { name: "official", version: "1" },
    {
      versionNegotiation: { mode: "auto" },
      capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
    },
  );
  const headers = { authorization: `Bearer ${client.token}` };
  await official.connect(
    new StreamableHTTPClientTransport(new URL("/mcp/helper", careful.url), {
      requestInit: { headers },
    }),
  );
  const read = await official.request(
    { method: "tasks/get", params: { taskId } },
    z.looseObject({ status: z.string(), result: z.looseObject({}) }),
  );
  await official.close();

  expect(created.result).toMatchObject({ resultType: "task", status: "working" });
  expect(asking.inputRequests[key]).toMatchObject({
    ...{ method: "elicitation/create", params: { message: "Who?" } },
  });
  expect(strange.result).toMatchObject({ resultType: "complete" });
  expect(still.result.status).toBe("input_required");
  expect(taken.map(({ result }) => result)).toMatchObject(Array(2).fill({}));
  expect(JSON.parse(end.result.content[0].text)).toEqual({ name: "Grace" });
  expect(read).toMatchObject({ status: "completed", result: end.result });
});

test("a long call whose client cancels it is stopped", { timeout: 60_000 }, async () => {
  const client = await begin({ policy: { preset: "trusted" } });

  const created = await client.call("slow", {});
  const early = await client.get(created.result.taskId);
  await client.cancel(created.result.taskId);
  await waitFor(client, created.result.taskId, "cancelled");

  expect(early.result).toMatchObject({ status: "working" });
});

test("a session says that it has tasks", async () => {
  const client = await begin();

  const { result } = await client.send("server/discover", {});

  expect(result.capabilities.extensions).toEqual({ "io.modelcontextprotocol/tasks": {} });
});
