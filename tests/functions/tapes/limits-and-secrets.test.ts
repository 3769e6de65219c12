import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { CANARY, startTapes, type TapesUnderTest } from "./tapes-under-test.ts";

vi.setConfig({ testTimeout: 120_000 });

const OAUTH = "canary-oauth-answer-91ab20";
const VARIABLE = "canary-variable-77c3d1e0";

let tapes: TapesUnderTest;
beforeAll(async () => {
  tapes = await startTapes();
});
afterAll(async () => await tapes[Symbol.asyncDispose]());

const leaky = `const { credentials } = await svc.getConnection();
  const key = credentials.apiKey;
  const [{ value: variable }] = await svc.getEnvironmentVariables();
  const { data: token } = await svc.post({ endpoint: "/oauth/token", data: { client_secret: key, grant: "x" } });
  const echo = await svc.get({
    endpoint: "/echo",
    params: { note: key, api_key: key },
    headers: { "x-own": "Basic " + Buffer.from("me:" + key).toString("base64"), "x-signature": variable },
  });
  await svc.uncontrolledFetch({ url: process.env.NODE_ENV && input.url + "/other?session=" + token.access_token, method: "POST", body: JSON.stringify({ nested: JSON.stringify({ deep: key + '"' }) }) });
  await svc.log("the key is " + key + ", the variable " + variable, { level: "error" });
  await svc.log("an answer", { token }, { level: "error" });
  return { mine: key, again: token, echo: echo.data, hex: Buffer.from(key).toString("hex") };`;

test("no credential is on a tape: of the connection, of an answer, or a variable, plain or encoded", async () => {
  tapes.answer = (request, response, body) => {
    response.setHeader("content-type", "application/json");
    if (request.url === "/oauth/token") {
      response.end(JSON.stringify({ access_token: OAUTH, expires_in: 60 }));
      return;
    }
    // As a provider's page for tests does, it answers with what it got.
    response.end(
      JSON.stringify({ url: request.url, headers: request.rawHeaders.join("\n"), body }),
    );
  };
  await tapes.call("PUT", "/environment-variables/LEAKY", { body: { value: VARIABLE } });
  await tapes.deploy("leaky", "action", leaky);
  await tapes.record("leaky", { sample: 1 });
  const url = (await tapes.call("GET", "/integrations/crm")).body.data.integration_config?.base_url;

  const answered = await tapes.trigger("leaky", { url: url ?? tapes.url });
  const tape = await tapes.tapeOf("leaky");
  const replayed = await tapes.replay(tape, "action", leaky);

  expect(answered.status, JSON.stringify(answered.body)).toBe(200);
  expect(answered.body.mine).toBe(CANARY);
  const text = JSON.stringify(tape);
  for (const secret of [CANARY, OAUTH, VARIABLE]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString("hex"));
    expect(text).not.toContain(Buffer.from(secret).toString("base64").slice(4, -4));
  }
  expect(replayed.difference).toMatchObject({ calls: { added: [], missing: [], changed: [] } });
  expect(replayed).toMatchObject({ isSame: true, stopped: undefined });
});

test("the next failure is recorded, once, and what succeeds before is not", async () => {
  const body = `const { data } = await svc.get({ endpoint: "/" + input.n });
    if (input.n > 1) throw new Error("number " + input.n);
    return data;`;
  tapes.answer = (request, response) => response.end(request.url);
  await tapes.deploy("failing", "action", body);
  await tapes.record("failing", { next_failure: true });

  await tapes.trigger("failing", { n: 1 });
  await tapes.trigger("failing", { n: 2 });
  const tape = await tapes.tapeOf("failing");
  await tapes.trigger("failing", { n: 3 });
  const replayed = await tapes.replay(tape, "action", body);
  const mended = await tapes.replay(tape, "action", body.replace("input.n > 1", "input.n > 2"));

  expect(tape).toMatchObject({ reason: "next_failure", outcome: { kind: "failed" } });
  expect(replayed).toMatchObject({ isSame: true, outcome: { error: { message: "number 2" } } });
  expect(mended).toMatchObject({ isSame: false, outcome: { kind: "done" } });
  expect((await tapes.call("GET", "/tapes?function=failing")).body.data).toHaveLength(1);
  expect((await tapes.call("GET", "/tape-rules")).body.data).not.toContainEqual(
    expect.objectContaining({ function: "failing" }),
  );
});

test("an answer of 70 MB leaves its length on the tape, which says where it is cut", async () => {
  const body = `const tooLarge = await svc.get({ endpoint: "/larger" }).then(() => "", ({ message }) => message);
    const { data } = await svc.get({ endpoint: "/large", responseType: "text" });
    await svc.get({ endpoint: "/after" });
    return [tooLarge, data.length];`;
  const chunk = Buffer.alloc(1024 * 1024, "x");
  tapes.answer = (request, response) => {
    const chunks = request.url === "/larger" ? 100 : request.url === "/large" ? 70 : 0;
    for (let n = 0; n < chunks; n += 1) response.write(chunk);
    response.end();
  };
  await tapes.deploy("large", "action", body);
  await tapes.record("large", { sample: 1 });

  const answered = await tapes.trigger("large");
  const tape = await tapes.tapeOf("large");
  const replayed = await tapes.replay(tape, "action", body);

  // 100 MB are more than a function may have: that, too, is on the tape.
  expect(answered.body).toEqual([expect.stringContaining("larger than"), 70 * 1024 * 1024]);
  const [refused, call] = tape.calls;
  expect(refused?.failure).toMatchObject({ message: expect.stringContaining("larger than") });
  expect(call?.answer?.body).toMatchObject({ cut: { bytes: 70 * 1024 * 1024 } });
  expect(tape.cut).toEqual({ at_call: call?.id, reason: "body" });
  expect(tape.calls).toHaveLength(3);
  expect(JSON.stringify(tape).length).toBeLessThan(20_000);
  expect(replayed.stopped).toContain("the tape is cut");
});

test("10,000 calls are on one tape and are replayed", async () => {
  const body = `let sum = 0;
    for (let n = 0; n < 10000; n += 1) { await svc.reportProgress({ progress: n }); sum += n; }
    return [sum, Date.now(), Math.random()];`;
  await tapes.deploy("busy", "action", body);
  await tapes.record("busy", { sample: 1 });

  const answered = await tapes.trigger("busy");
  const tape = await tapes.tapeOf("busy");
  const replayed = await tapes.replay(tape, "action", body);

  expect(answered.status, JSON.stringify(answered.body)).toBe(200);
  expect(tape.calls.length).toBeGreaterThanOrEqual(10_000);
  expect(tape.cut).toBeNull();
  expect(replayed).toMatchObject({ isSame: true, stopped: undefined });
  expect(replayed.outcome).toEqual(tape.outcome);
});

test("an on-event function is recorded", async () => {
  const body = `await svc.setMetadata({ at: Date.now() }); await svc.get({ endpoint: "/me" });`;
  tapes.answer = (_request, response) => response.end("{}");
  await tapes.deploy("welcome", "on-event", body);
  await tapes.record("welcome", { sample: 1 }, "on-event");

  await tapes.call("POST", "/connections", {
    body: {
      ...{ provider_config_key: "crm", connection_id: "newcomer" },
      credentials: { type: "API_KEY", apiKey: CANARY },
    },
  });
  const tape = await tapes.tapeOf("welcome");
  const replayed = await tapes.replay(tape, "on-event", body);

  expect(tape.facts).toMatchObject({ kind: "on-event", connectionId: "newcomer" });
  expect(replayed).toMatchObject({ isSame: true, stopped: undefined });
  await tapes.call("DELETE", "/connections/newcomer?provider_config_key=crm");
  expect((await tapes.call("GET", "/tapes?function=welcome")).body.data).toEqual([]);
  expect((await tapes.call("GET", `/operations/${tape.operation_id}/tape`)).status).toBe(404);
});
