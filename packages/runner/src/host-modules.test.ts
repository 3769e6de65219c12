import { afterAll, beforeAll, expect, test } from "vitest";
import { buildRunner, Child } from "./testing/child.ts";
import { readFailure, readOutput } from "./testing/messages.ts";

let runner: Awaited<ReturnType<typeof buildRunner>>;
beforeAll(async () => {
  runner = await buildRunner();
});
afterAll(async () => await runner.remove());

/** A bundle that leaves zod and the authoring package to the runner, as the compiler and others write it. */
function action(body: string): string {
  return `"use strict";
const z = require("zod");
const { createAction } = require("jackfield");
exports.default = createAction({
  description: "test", input: z.any(), output: z.any(),
  exec: async (svc, input) => { ${body} },
});`;
}

async function load(child: Child, code: string) {
  await child.receive();
  child.send({ op: "load", filename: "crm/test.js" }, code);
  return await child.receive();
}

test("a bundle gets zod, all of it, and the authoring package from the runner", async () => {
  await using child = new Child(runner.file);
  await load(
    child,
    action(`
    const { ActionError } = require("@jackfield/functions");
    const schema = z.object({ id: z.email(), at: z.iso.datetime(), n: z.coerce.number().default(1) });
    z.config(z.locales.de());
    const german = z.string().safeParse(1).error.issues[0].message;
    z.config(z.locales.en());
    return {
      parsed: schema.parse({ id: "a@b.co", at: "2026-01-01T00:00:00Z", n: "2" }),
      json: z.toJSONSchema(z.object({ id: z.string() })).type,
      german,
      languages: Object.keys(z.locales).length > 40,
      same: require("zod/v4") === z && z.z.string === z.string && z.default.string === z.string,
      error: new ActionError({ message: "x" }).message,
    };`),
  );

  expect(readOutput(await child.run())).toEqual({
    parsed: { id: "a@b.co", at: "2026-01-01T00:00:00Z", n: 2 },
    json: "object",
    german: expect.stringMatching(/Ungültig/),
    languages: true,
    same: true,
    error: "x",
  });
});

test("what a run changes in zod or the authoring package does not reach another connection's", async () => {
  await using child = new Child(runner.file);
  await load(
    child,
    action(`
    const seen = {
      leak: z.ZodString.prototype?.leak ?? z.leak,
      core: z.core.leak,
      message: z.string().safeParse(1).error.issues[0].message,
      registered: z.globalRegistry._idmap?.has("leak") ?? false,
      creator: require("jackfield").leak,
      own: createAction.leak,
    };
    try { z.ZodString.prototype.leak = "leak"; } catch {}
    try { z.leak = "leak"; } catch {}
    try { z.core.leak = "leak"; } catch {}
    try { require("jackfield").leak = "leak"; } catch {}
    try { createAction.leak = "leak"; } catch {}
    z.string().meta({ id: "leak" });
    z.config({ customError: () => "leak" });
    return seen;`),
  );
  const clean = {
    message: expect.stringMatching(/^Invalid input/),
    registered: false,
  };

  expect(readOutput(await child.run({ connectionId: "a" }))).toEqual(clean);
  expect(readOutput(await child.run({ connectionId: "a" }, undefined, "r2"))).not.toEqual(clean);
  child.send({ op: "clean" });
  expect((await child.receive()).message).toEqual({ op: "cleaned" });
  expect(readOutput(await child.run({ connectionId: "b" }, undefined, "r3"))).toEqual(clean);
});

test("a module that the runner does not have is refused by name", async () => {
  await using child = new Child(runner.file);
  const loaded = await load(child, `require("zod/v3"); ${action("")}`);

  expect(readFailure(loaded).message).toMatch(/Module "zod\/v3" is not available to functions/);
});
