import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deployFunctions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import { type Answer, type CarefulApp, startCarefulApp } from "../testing/careful-app.ts";

// What reaches a provider is what a person has seen, or nothing does.

interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

let careful: CarefulApp;
let provider: Server;
let arrived: Arrived[] = [];

beforeAll(async () => {
  provider = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      arrived.push({ method: request.method ?? "", url: request.url ?? "", body });
      response.setHeader("content-type", "application/json").end('{"id":7}');
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  careful = await startCarefulApp();
  await careful.enter(`http://127.0.0.1:${Object(provider.address()).port}`);
});
afterAll(async () => {
  await careful[Symbol.asyncDispose]();
  provider.closeAllConnections();
  provider.close();
});

async function deploy(sources: Readonly<Record<string, string>>): Promise<void> {
  const models = { input: "In", models_json_schema: { definitions: { In: { type: "object" } } } };
  const flowConfigs = Object.entries(sources).map(([name, body]) =>
    newAction(name, { fileBody: newBundle("action", body), ...models }),
  );
  await deployFunctions(careful.ctx, newUpload({ flowConfigs }));
}

async function show(id: string): Promise<Answer> {
  return (await careful.api("GET", `/agent/approvals/${id}`)).data.request;
}

/** The same for the same seed. */
function choosing(seed: number) {
  let state = seed;
  return <Item>(items: readonly Item[]): Item => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const chosen = items[Math.floor((state / 2 ** 32) * items.length)];
    if (chosen === undefined) throw new Error("nothing to choose from");
    return chosen;
  };
}

/** What an action may do on its way to its request; some of it is another the second time. */
const values = [
  '"a"',
  "7",
  "input.text",
  "[1, 2]",
  "{ deep: input.text }",
  "Math.random()",
  "Date.now() % 1000003",
];
const methods = ["POST", "PUT", "PATCH", "DELETE"];
const paths = [
  '"/contacts"',
  '"/contacts/" + input.id',
  '"/a?b=" + encodeURIComponent(input.text)',
];
const before = ["", 'await svc.get({ endpoint: "/seen" });', 'await svc.log("on the way");'];
const after = ["", 'await svc.post({ endpoint: "/after", data: { id: first.data.id } });'];

const ACTIONS = 200;

test("of 200 random actions, each sends the request that was shown, or nothing", {
  timeout: 600_000,
}, async () => {
  const choose = choosing(1);
  const sources = Object.fromEntries(
    Array.from({ length: ACTIONS }, (_, n) => [
      `random-${n}`,
      `${choose(before)} const first = await svc.proxy({ method: "${choose(methods)}", endpoint: ${choose(paths)},
         data: { a: ${choose(values)}, b: ${choose(values)} } }); ${choose(after)} return "sent";`,
    ]),
  );
  await deploy(sources);
  const { call } = await careful.begin();
  const ends = { sent: 0, stale: 0 };

  for (const name of Object.keys(sources)) {
    const input = { text: `ä "${name}" & co`, id: 12 };
    arrived = [];
    const { approval_id: id } = await call(name, input);
    const request = await show(id);
    const changedBefore = arrived.filter(({ method }) => method !== "GET");
    await careful.decide(id);
    arrived = [];
    const made = await call(name, input);
    const [first, ...others] = arrived.filter(({ method }) => method !== "GET");

    expect(changedBefore, name).toEqual([]);
    if (made.code === "approval_stale") {
      expect([first, ...others], name).toEqual([undefined]);
      ends.stale += 1;
      continue;
    }
    expect(made, name).toBe("sent");
    expect({ method: first?.method, url: first?.url, body: first?.body }, name).toEqual({
      ...{ method: request.method, url: request.url, body: request.body },
    });
    expect(
      others.map(({ url }) => url).filter((url) => url !== "/after"),
      name,
    ).toEqual([]);
    ends.sent += 1;
  }

  expect(ends.sent).toBeGreaterThan(50);
  expect(ends.stale).toBeGreaterThan(50);
});

test("a request is shown without the credentials that its action has put into it", async () => {
  await deploy({
    leaky: `const { credentials } = await svc.getConnection();
      await svc.post({ endpoint: "/x", headers: { Authorization: "Bearer " + credentials.apiKey, "X-Note": credentials.apiKey },
        data: { note: "with " + credentials.apiKey, kept: "hello" } }); return 1;`,
  });
  const { call } = await careful.begin();

  const { approval_id: id } = await call("leaky");
  const request = await show(id);

  expect(JSON.stringify(request)).not.toContain("canary-token");
  expect(request).toMatchObject({
    method: "POST",
    url: "/x",
    body: expect.stringContaining("hello"),
  });
});

test("an action that another one calls is shown as the call that it is", async () => {
  await deploy({
    inner: 'await svc.post({ endpoint: "/inner" }); return 1;',
    outer: `return await svc.triggerAction("crm", "ada-crm", "inner", { text: input.text });`,
  });
  const { call } = await careful.begin();
  arrived = [];

  const { approval_id: id } = await call("outer", { text: "hi" });
  const shown = await show(id);
  const before = arrived.length;
  await careful.decide(id);
  const made = await call("outer", { text: "hi" });

  expect(shown).toMatchObject({ call: "triggerAction", method: null });
  expect(JSON.stringify(shown)).toContain("inner");
  expect(before).toBe(0);
  expect(made).toBe(1);
  expect(arrived.map(({ url }) => url)).toEqual(["/inner"]);
});
