import { afterAll, beforeAll, expect, test } from "vitest";
import { buildRunner, Child, type Received } from "./testing/child.ts";
import { type Leak, leaks } from "./testing/leaks.ts";
import { actionSource, readOutput } from "./testing/messages.ts";

let runner: Awaited<ReturnType<typeof buildRunner>>;
beforeAll(async () => {
  runner = await buildRunner();
});
afterAll(async () => await runner.remove());

async function clean(child: Child): Promise<Received["message"]> {
  child.send({ op: "clean" });
  return (await child.receive()).message;
}

/** All in one bundle, so that one process is cleaned over and over. */
function sourceOf(several: readonly Leak[]): string {
  const modes = several.map(
    ({ leave, look }, at) => `
      if (input?.mode === "leave ${at}") { ${leave}; return null; }
      if (input?.mode === "look ${at}") { ${look} }`,
  );
  const modules = several.map(({ module }) => module ?? "");
  return actionSource(modes.join(""), modules.join("\n"));
}

test("what is taken back is not there for another connection", async () => {
  const cleaned = leaks.filter(({ replacedFor }) => replacedFor === undefined);
  await using child = new Child(runner.file);
  await child.load(sourceOf(cleaned));

  const seen: Record<string, unknown> = {};
  for (const [at, { name }] of cleaned.entries()) {
    const left = await child.run({}, { mode: `leave ${at}` }, `leave ${at}`);
    const answer = await clean(child);
    if (answer.op !== "cleaned") throw new Error(`${name}: ${JSON.stringify([left, answer])}`);
    seen[name] = readOutput(await child.run({}, { mode: `look ${at}` }, `look ${at}`));
  }

  const wanted = cleaned.map(({ name, untouched }) => [name, untouched ?? null]);
  expect(seen).toEqual(Object.fromEntries(wanted));
});

test.each(leaks.filter(({ replacedFor }) => replacedFor !== undefined))(
  "$name is reported, so that the process is replaced",
  async (leak) => {
    await using child = new Child(runner.file);
    expect((await child.load(sourceOf([leak]))).message).toEqual({ op: "loaded" });
    expect((await child.run({}, { mode: "leave 0" })).message).toMatchObject({ op: "done" });

    expect(await clean(child)).toEqual({ op: "unclean", reason: leak.replacedFor });
  },
);

test("variables of a module are kept for the same connection", async () => {
  await using child = new Child(runner.file);
  await child.load(actionSource("runs += 1; return runs;", "let runs = 0;"));

  const outputs = [];
  for (const runId of ["a", "b"]) outputs.push(readOutput(await child.run({}, undefined, runId)));

  expect(outputs).toEqual([1, 2]);
});
