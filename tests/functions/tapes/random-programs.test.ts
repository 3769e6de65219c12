import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTapes, type TapesUnderTest } from "./tapes-under-test.ts";

let tapes: TapesUnderTest;
beforeAll(async () => {
  tapes = await startTapes();
});
afterAll(async () => await tapes[Symbol.asyncDispose]());

type Step =
  | { readonly do: "get" | "post" | "fetch"; readonly path: string }
  | { readonly do: "sleep"; readonly ms: number }
  | {
      readonly do:
        | "clock"
        | "random"
        | "uuid"
        | "log"
        | "metadata"
        | "connection"
        | "bytes"
        | "unzip";
    }
  | { readonly do: "throw" }
  | { readonly do: "all" | "race"; readonly of: readonly Step[][] };

/** Does what its input says, and answers with all that it has seen. */
const interpreter = `const crypto = require("node:crypto");
  const zlib = require("node:zlib");
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const seen = [];
  const steps = {
    get: async ({ path }) => (await svc.get({ endpoint: path, params: { at: Date.now() } })).data,
    post: async ({ path }) => (await svc.post({ endpoint: path, data: { id: crypto.randomUUID(), seen: seen.length } })).data,
    fetch: async ({ path }) => await (await fetch(input.url + path, { method: "PUT", body: String(Math.random()) })).text(),
    sleep: async ({ ms }) => { await wait(ms); return ms; },
    clock: async () => [Date.now(), new Date().toISOString(), performance.now()],
    random: async () => Math.random(),
    uuid: async () => globalThis.crypto.randomUUID(),
    bytes: async () => crypto.randomBytes(8).toString("hex"),
    unzip: async () => zlib.gunzipSync(zlib.gzipSync("text " + Math.random())).toString(),
    log: async () => await svc.log("step " + seen.length, { at: Date.now() }, { level: "error" }),
    metadata: async () => { await svc.updateMetadata({ at: Date.now() }); return await svc.getMetadata().then(Object.keys); },
    connection: async () => (await svc.getConnection()).connection_id,
    throw: async () => { throw new svc.ActionError({ message: "at " + Date.now() }); },
    all: async ({ of }) => await Promise.all(of.map(run)),
    race: async ({ of }) => await Promise.race(of.map(run)),
  };
  async function run(program) {
    for (const step of program) seen.push([step.do, await steps[step.do](step), Date.now()]);
    return seen.length;
  }
  await run(input.program);
  return { seen, last: Math.random() };`;

const path = fc.constantFrom("/a", "/b", "/c?x=1");
const simple: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("get", "post", "fetch"), path }),
  fc.record({ do: fc.constant("sleep"), ms: fc.integer({ min: 0, max: 12 }) }),
  fc.record({
    do: fc.constantFrom(
      ...(["clock", "random", "uuid", "log", "metadata", "connection", "bytes", "unzip"] as const),
    ),
  }),
) as fc.Arbitrary<Step>;
const branches = fc.array(fc.array(simple, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 4,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: simple, weight: 6 },
  {
    arbitrary: fc.record({
      do: fc.constantFrom("all", "race"),
      of: branches,
    }) as fc.Arbitrary<Step>,
    weight: 3,
  },
  { arbitrary: fc.constant({ do: "throw" }) as fc.Arbitrary<Step>, weight: 1 },
);

const RUNS = 100;

test("the same code does the same again, for random programs", { timeout: 300_000 }, async () => {
  tapes.answer = (request, response, body) => {
    const answer = () => response.end(JSON.stringify({ url: request.url, body, n: Math.random() }));
    response.setHeader("content-type", "application/json");
    setTimeout(answer, 10 * Math.random());
  };
  await tapes.deploy("interpreter", "action", interpreter);
  await tapes.record("interpreter", { sample: 1 });
  const programs = fc.sample(fc.array(step, { minLength: 1, maxLength: 8 }), {
    numRuns: RUNS,
    seed: 20_261_128,
  });

  let replayed = 0;
  for (const [at, program] of programs.entries()) {
    await tapes.trigger("interpreter", { program, url: tapes.url });
    const tape = await tapes.tapeOf("interpreter", at + 1);
    const replay = await tapes.replay(tape, "action", interpreter);
    const { difference, outcome, isSame, stopped } = replay;
    const shown = JSON.stringify({ program, difference, stopped, tape: tape.outcome, outcome });
    expect(isSame, shown).toBe(true);
    if (outcome.kind === "done") expect(outcome, shown).toEqual(tape.outcome);
    replayed += 1;
  }
  expect(replayed).toBe(RUNS);
});
