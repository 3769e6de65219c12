import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { HOUR } from "#foundation";
import { estimateTokens } from "#functions";
import { getIntegration } from "#integrations";
import { connect } from "../testing/accounts.ts";
import { type CodeApp, startCodeApp } from "../testing/code-app.ts";

let app: CodeApp;

beforeAll(async () => {
  app = await startCodeApp();
});
beforeEach(async () => {
  await app.enter();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

const writes = () => app.arrived.filter(({ method }) => method !== "GET");

test("a script calls tools as the agent, each call with its row", async () => {
  const { session, run } = await app.begin();

  const answer = await run(
    "const a = await tools.crm.addNote({ text: input.text }); console.log('added'); return { id: a.id };",
    { text: "hello" },
  );
  const { data } = await app.careful.api("GET", `/agent/calls?session_id=${session.id}`);
  const { data: after } = await app.careful.api("GET", `/agent/sessions/${session.id}`);

  expect(answer).toMatchObject({ value: { id: 7 }, log: "added", calls: 1 });
  expect(writes().map(({ body }) => JSON.parse(body))).toEqual([{ text: "hello" }]);
  const script = data.find(({ tool }: { tool: string }) => tool === "run_code");
  const call = data.find(({ tool }: { tool: string }) => tool === "crm__add-note");
  expect(script).toMatchObject({ outcome: "success", integration: null, parent_id: null });
  expect(call).toMatchObject({
    outcome: "success",
    connection_id: "ada-crm",
    parent_id: script.id,
  });
  expect(after.used).toMatchObject({ calls: 1, writes: 1 });
  expect(after.used.code_seconds).toBeGreaterThan(0);
  const { data: own } = await app.careful.api("GET", `/agent/calls?parent_id=${script.id}`);
  expect(own.map(({ id }: { id: string }) => id)).toEqual([call.id]);
});

test("fixed tools take at most 1,300 tokens, and pinned ones are listed with them", async () => {
  const { client } = await app.begin({ settings: { pinned: ["crm__add-note", "crm__none"] } });

  const { tools } = await client.listTools();
  const fixed = tools.filter(({ name }) => !name.includes("__"));

  expect(tools.map(({ name }) => name)).toEqual([
    ...["crm__add-note", "find_tools", "describe_tools", "read_tool", "write_tool", "run_code"],
    ...["read_result", "accounts"],
  ]);
  expect(estimateTokens(fixed)).toBeLessThanOrEqual(1300);
});

test("a toolset of another mode runs no code", async () => {
  const { run } = await app.begin({ settings: { mode: "search" } });

  expect(await run("return 1;")).toMatchObject({ code: "unknown_tool" });
});

test("tools are found and described as scripts write them", async () => {
  const { client } = await app.begin();
  const call = async (name: string, args: Record<string, unknown>) => {
    const [content] = (await client.callTool({ name, arguments: args })).content;
    return JSON.parse(content?.type === "text" ? content.text : "");
  };

  const found = await call("find_tools", { query: "add note" });
  const described = await call("describe_tools", {
    ...{ names: ["crm__add-note"], form: "typescript" },
  });

  expect(found.tools[0]).toMatchObject({ name: "crm__add-note", code: "tools.crm.addNote" });
  expect(described.tools[0].typescript).toBe(
    "tools.crm.addNote(input: {}, options?: { account?: string }): Promise<unknown>",
  );
});

test("a task of ten steps takes three round trips and at most 3,000 tokens", async () => {
  const { client, run } = await app.begin({ settings: { mode: "code" } });
  const one = await client.callTool({ name: "find_tools", arguments: { query: "many contacts" } });
  const names = ["crm__many", "crm__add-note"];
  const two = await client.callTool({
    ...{ name: "describe_tools", arguments: { names, form: "typescript" } },
  });
  const code = `const all = await tools.crm.many({ rows: 1000 });
    const found = all.filter(({ city }) => city === "Oslo");
    for (const { id, name } of found) await tools.crm.addNote({ contact: id, text: "Hello " + name });
    return { read: all.length, written: found.length };`;
  const three = await run(code);

  expect(three.value).toEqual({ read: 1000, written: 10 });
  expect(writes().length).toBe(10);
  const { tools } = await client.listTools();
  const read = [one.content, two.content, three.result.content, { code }, tools];
  expect(estimateTokens(read)).toBeLessThanOrEqual(3000);
});

test("a call that a person has to approve ends the script, which continues after it", async () => {
  const { run } = await app.begin({ toolset: { preset: "careful" } });
  const code = `const before = await tools.crm.listNotes();
    const one = await tools.crm.addNote({ text: "one" });
    const two = await tools.crm.addNote({ text: "two" });
    return [before.id, one.id, two.id, Math.random()];`;

  const first = await run(code);
  const [need] = first.waiting.needs;
  const read = app.arrived.filter(({ url }) => url === "/notes").length;
  await app.careful.decide(need.approval_id);
  const second = await run({ resume: first.waiting.handle });
  const [other] = second.waiting.needs;
  await app.careful.decide(other.approval_id);
  const third = await run(code);
  const again = await run({ resume: first.waiting.handle });

  expect(first.waiting).toMatchObject({ needs: [{ code: "approval_required" }], calls: 2 });
  expect(other.approval_id).not.toBe(need.approval_id);
  expect(third.value).toEqual([7, 7, 7, expect.any(Number)]);
  expect(again.value).toEqual(third.value);
  expect(writes().map(({ body }) => JSON.parse(body).text)).toEqual(["one", "two"]);
  expect(read).toBe(1);
});

test("a call without an account ends the script, which continues once there is one", async () => {
  const { run } = await app.begin({
    settings: { tools: [{ integration: "crm" }] },
    policy: { connections: ["ada-later"] },
  });
  const code = `const drawn = Math.random();
    const one = await tools.crm.addNote({ text: "one" });
    return [drawn, one.id];`;

  const first = await run(code);
  const { handle, needs } = first.waiting;
  const early = await run({ resume: handle });
  const { ctx } = app.careful;
  const integration = await getIntegration(ctx, "crm");
  await connect(ctx, { integration, connectionId: "ada-later", endUserId: "ada" });
  const second = await run({ resume: handle });
  const again = await run({ resume: handle });

  expect(needs).toMatchObject([
    { tool: "crm.addNote", code: "authorization_required", integration: "crm" },
  ]);
  expect(early.waiting.needs).toMatchObject([{ code: "authorization_required" }]);
  expect(second.value).toEqual([expect.any(Number), 7]);
  expect(again.value).toEqual(second.value);
  expect(writes().map(({ body }) => JSON.parse(body).text)).toEqual(["one"]);
});

test("what an earlier call of the script has read counts for the next", async () => {
  const { run } = await app.begin();

  const first = await run(
    "const { text } = await tools.crm.readMail(); await tools.crm.sendMail({ to: text }); return 1;",
  );
  const { data } = await app.careful.api(
    ...["GET", `/agent/approvals/${first.waiting.needs[0].approval_id}`],
  );

  expect(first.waiting.needs).toMatchObject([{ tool: "crm.sendMail", code: "approval_required" }]);
  expect(writes()).toEqual([]);
  expect(JSON.stringify(data)).toContain("crm__read-mail");
});

test("policy, budget and unknown tools are failures that a script can catch", async () => {
  const { run, session } = await app.begin({
    toolset: {
      preset: "trusted",
      rules: [
        { action: "send-mail", input: [{ path: "/to", op: "in", value: ["x"] }], verdict: "deny" },
      ],
    },
    budget: { writes: 1, code_seconds: 5 },
  });

  const answer = await run(
    `const codes = [];
     const attempt = async (call) => { try { await call(); codes.push("made"); } catch (e) { codes.push(e.code); } };
     await attempt(() => tools.crm.sendMail({ to: "x" }));
     await attempt(() => tools.crm.addNote({ n: 1 }));
     await attempt(() => tools.crm.addNote({ n: 2 }));
     await attempt(() => tools.crm.nothing());
     await attempt(() => tools.other.nothing());
     await attempt(() => tools.crm.listNotes({}, { account: "nobody" }));
     await attempt(() => tools.crm.ask());
     return codes;`,
  );

  expect(answer.value).toEqual([
    ...["policy_denied", "made", "budget_exhausted", "unknown_tool", "unknown_tool"],
    ...["account_required", "input_required"],
  ]);
  const { data } = await app.careful.api("GET", `/agent/sessions/${session.id}`);
  expect(data.budget.code_seconds).toBe(5);
  expect(data.used.code_seconds).toBeLessThanOrEqual(3);
});

async function countRunning(): Promise<number> {
  const { db, environment } = app.careful.ctx;
  const { rows } = await sql`
    select from agent_scripts
     where environment_id = ${environment.id} and state = 'running'`.execute(db);
  return rows.length;
}

test("time of the budget is taken before a script runs, and an endless one ends with it", async () => {
  const { run } = await app.begin({ budget: { code_seconds: 1 } });

  const running = run("for (;;) {}");
  await expect.poll(countRunning).toBe(1);
  const other = await run("return 1;");
  const endless = await running;
  const later = await run("return 2;");

  expect(other.code).toBe("budget_exhausted");
  expect(endless.code).toBe("script_interrupted");
  expect(later.code).toBe("budget_exhausted");
});

test("a long value is cut, and read by its handle; hidden characters are not in it", async () => {
  const { run, client } = await app.begin();

  const long = await run("return { rows: await tools.crm.many({ rows: 300 }) };");
  const piece = await client.callTool({
    name: "read_result",
    arguments: { handle: long.handle, path: "/value/rows/299/id" },
  });
  const hidden = await run('return ["a\\u200bb\\u202e\\u0007c\\\\u0007", "\\u{e0041}x"];');

  expect(long.result.isError).toBeUndefined();
  expect(piece.content).toEqual([{ type: "text", text: "299" }]);
  expect(hidden.value).toEqual(["abc\\u0007", "x"]);
  expect(hidden.result._meta).toEqual({ "dev.jackfield/removed_characters": 4 });
});

test("faults of a script are failures with a line, and say what was called", async () => {
  const { run } = await app.begin();

  const thrown = await run("await tools.crm.addNote({ n: 1 });\nthrow new Error('no');");
  const invalid = await run("const a: = 1;");
  const many = await run("for (let i = 0; i < 51; i += 1) await tools.crm.addNote({ i });");
  const neither = await run({ resume: "scr_00000000-0000-4000-8000-000000000000" });

  expect(thrown).toMatchObject({ code: "script_error", message: "Error: no", line: 2, calls: 1 });
  expect(invalid).toMatchObject({ code: "script_error", calls: 0 });
  expect(many).toMatchObject({ code: "script_error", calls: 50 });
  expect(many.message).toContain("at most 50 calls");
  expect(neither.code).toBe("not_found");
});

test("a script of another session cannot be continued, and none for longer than an hour", async () => {
  const { run } = await app.begin({ toolset: { preset: "careful" } });
  const other = await app.begin({ toolset: { preset: "careful" } });
  const first = await run("await tools.crm.addNote({}); return 1;");
  const { handle } = first.waiting;

  const foreign = await other.run({ resume: handle });
  app.careful.app.clock.advance(HOUR - 1000);
  const { run: late } = await app.begin({ toolset: { preset: "careful" } });

  expect(foreign.code).toBe("not_found");
  expect((await late({ resume: handle })).code).toBe("not_found");
});

test("parallel calls that need a person are all named, and the others are not made again", async () => {
  const { run } = await app.begin({
    toolset: { preset: "careful", rules: [{ action: "put-note", verdict: "allow" }] },
  });
  const code = `const [a, b, c, d] = await Promise.all([tools.crm.addNote({ n: 1 }), tools.crm.putNote({ n: 2 }),
    tools.crm.addNote({ n: 3 }), tools.crm.listNotes().then(() => tools.crm.putNote({ n: 4 }))]); return [a.id, b.id, c.id, d.id];`;

  const first = await run(code);
  for (const { approval_id: id } of first.waiting.needs) await app.careful.decide(id);
  const second = await run({ resume: first.waiting.handle });

  expect(first.waiting.needs.length).toBe(2);
  expect(second.value).toEqual([7, 7, 7, 7]);
  const sent = writes().map(({ body }) => JSON.parse(body).n);
  expect(sent.toSorted()).toEqual([1, 2, 3, 4]);
});
