import { expect, test } from "vitest";
import type { EnvironmentContext, EnvironmentId } from "#foundation";
import { costOf } from "#foundation/testing";
import { checkInput } from "./calling/check-input.ts";
import { planInThread } from "./planning/plan-thread.ts";

type Of = Pick<EnvironmentContext, "environment">;

function environment(name: string): Of {
  return { environment: { id: name as EnvironmentId, accountId: name, name } } as unknown as Of;
}

const ours = environment("ours");
const theirs = environment("theirs");
const everything = {
  ...{ include: undefined, exclude: undefined, effects: undefined, basePath: undefined },
};

const OPERATIONS = 3000;

/** Over 10 MB: schemas that all refer to each other, and texts. */
function largeDocument(): string {
  const words = "What this is about, at some length. ".repeat(40);
  const refer = (at: number) => ({ $ref: `#/components/schemas/S${at % 1500}` });
  const schemas = Object.fromEntries(
    Array.from({ length: 1500 }, (_, at) => [
      `S${at}`,
      {
        ...{ type: "object", description: words, allOf: [refer(at * 7 + 1)] },
        properties: Object.fromEntries(
          Array.from({ length: 12 }, (_, field) => [`f${field}`, refer(at + field * 31)]),
        ),
      },
    ]),
  );
  const json = (at: number) => ({ "application/json": { schema: refer(at) } });
  const paths = Object.fromEntries(
    Array.from({ length: OPERATIONS }, (_, at) => [
      `/things${at}/{id}`,
      {
        post: {
          ...{ operationId: `makeThing${at}`, description: words.repeat(2) },
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          requestBody: { required: true, content: json(at) },
          responses: { 200: { description: "", content: json(at + 1) } },
        },
      },
    ]),
  );
  return JSON.stringify({ openapi: "3.0.0", info: {}, paths, components: { schemas } });
}

test("a document of 10 MB and 3,000 operations, whose schemas hold each other, is read while others are served", async () => {
  const text = largeDocument();
  expect(text.length).toBeGreaterThan(10_000_000);

  const planned = { operations: 0, bytes: 0, refused: 0 };
  const cost = await costOf(async () => {
    const { operations, refused } = await planInThread(ours, text, everything);
    planned.operations = operations.length;
    planned.refused = refused.length;
    planned.bytes = operations.reduce((sum, each) => sum + each.definition.length, 0);
  }, true);

  expect(planned).toMatchObject({ operations: OPERATIONS, refused: 0 });
  expect(planned.bytes).toBeLessThan(80_000_000);
  expect(cost.longestBlockMs).toBeLessThan(250);
});

test("a document with as many values as may be, read or refused, is followed by the next one", async () => {
  const values = `[${"{},".repeat(3_900_000)}{}]`;
  const large = `{"openapi":"3.0.0","paths":{},"x":${values}}`;
  const small = JSON.stringify({ openapi: "3.0.0", paths: { "/a": { get: {} } } });

  const [refused, read] = await Promise.allSettled([
    planInThread(ours, large, everything),
    planInThread(theirs, small, everything),
  ]);

  expect(["fulfilled", "rejected"]).toContain(refused.status);
  expect(read).toMatchObject({ status: "fulfilled", value: { operations: [{ name: "get-a" }] } });
});

test("a pattern that takes without end holds nobody else's input, and the input is refused", async () => {
  const slow = {
    type: "object",
    properties: { a: { type: "string", pattern: "^(a+)+$" } },
  };
  const fine = { type: "object", required: ["b"] };
  const hostile = { digest: "slow", schema: slow, input: { a: `${"a".repeat(40)}!` } };

  const cost = await costOf(async () => {
    const [first, second, third] = await Promise.allSettled([
      checkInput(ours, hostile),
      checkInput(theirs, { digest: "fine", schema: fine, input: { b: 1 } }),
      checkInput(theirs, { digest: "fine", schema: fine, input: {} }),
    ]);

    expect(String(Object(first).reason)).toContain("could not be checked by its schema");
    expect(second?.status).toBe("fulfilled");
    expect(String(Object(third).reason)).toContain("required property 'b'");
  }, true);

  expect(cost.longestBlockMs).toBeLessThan(250);
});
