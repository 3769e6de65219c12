import { createServer } from "node:http";
import { expect } from "vitest";
import { deployFunctions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import { type Answer, type CarefulApp, startCarefulApp } from "./careful-app.ts";

interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** Agents whose writes wait for approval, and a provider that keeps what reaches it. */
export interface ApprovedActions extends AsyncDisposable {
  readonly careful: CarefulApp;
  /** In the order in which they came; a test empties it. */
  readonly arrived: Arrived[];
  /** Deploys actions whose functions have these bodies, by name. */
  deploy(sources: Readonly<Record<string, string>>): Promise<void>;
  /** The request that a person is shown. */
  show(approvalId: string): Promise<Answer>;
}

export async function startApprovedActions(): Promise<ApprovedActions> {
  const arrived: Arrived[] = [];
  const provider = createServer((request, response) => {
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
  const careful = await startCarefulApp();
  await careful.enter(`http://127.0.0.1:${Object(provider.address()).port}`);
  return {
    careful,
    arrived,
    async deploy(sources) {
      const definitions = { In: { type: "object" } };
      const models = { input: "In", models_json_schema: { definitions } };
      const flowConfigs = Object.entries(sources).map(([name, body]) =>
        newAction(name, { fileBody: newBundle("action", body), ...models }),
      );
      await deployFunctions(careful.ctx, newUpload({ flowConfigs }));
    },
    show: async (id) => (await careful.api("GET", `/agent/approvals/${id}`)).data.request,
    async [Symbol.asyncDispose]() {
      await careful[Symbol.asyncDispose]();
      provider.closeAllConnections();
      provider.close();
    },
  };
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

const DEPLOYED = 10;

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

/**
 * Lets actions wait, approves them and calls them again; throws where one has sent anything else than was shown.
 * Answers how many sent it, and how many nothing since they would have sent something else.
 */
export async function approveRandomActions(
  { careful, arrived, deploy, show }: ApprovedActions,
  count: number,
): Promise<{ sent: number; stale: number }> {
  const choose = choosing(1);
  const programs = Array.from(
    { length: count },
    () => `${choose(before)} const first = await svc.proxy({ method: "${choose(methods)}", endpoint: ${choose(paths)},
         data: { a: ${choose(values)}, b: ${choose(values)} } }); ${choose(after)} return "sent";`,
  );
  // Those of a deployed function share its warm process.
  const shared = Math.ceil(count / DEPLOYED);
  const sources = Array.from({ length: DEPLOYED }, (_, n) => {
    const own = programs.slice(n * shared, (n + 1) * shared);
    const list = own.map((body) => `async (svc, input) => { ${body} }`);
    return [`random-${n}`, `return await [${list.join(", ")}][input.program](svc, input);`];
  });
  await deploy(Object.fromEntries(sources));
  const { call } = await careful.begin();
  const ends = { sent: 0, stale: 0 };
  for (const [index] of programs.entries()) {
    const name = `random-${Math.floor(index / shared)}`;
    const input = { text: `ä "${index}" & co`, id: 12, program: index % shared };
    arrived.length = 0;
    const { approval_id: id } = await call(name, input);
    const request = await show(id);
    const changedBefore = arrived.filter(({ method }) => method !== "GET");
    await careful.decide(id);
    arrived.length = 0;
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
    const further = others.map(({ url }) => url).filter((url) => url !== "/after");
    expect(further, name).toEqual([]);
    ends.sent += 1;
  }
  return ends;
}
