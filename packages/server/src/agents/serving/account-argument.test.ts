import { expect, test } from "vitest";
import { withAccount } from "./account-argument.ts";

const accounts = [
  { alias: "a@example.com", identity: undefined },
  { alias: "b@example.com", identity: undefined },
];
const account = { type: "string", enum: ["a@example.com", "b@example.com"] };

test("the account is added to the action's own properties", () => {
  const own = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

  const { schema, split } = withAccount(own, accounts);

  expect(schema).toMatchObject({
    properties: { account, name: { type: "string" } },
    required: ["account", "name"],
  });
  expect(split({ account: "a@example.com", name: "Ada" })).toEqual({
    ...{ account: "a@example.com", input: { name: "Ada" } },
  });
});

test("where the action has its own account property, or is a union, its input is a separate property", () => {
  const named = { type: "object", properties: { account: { type: "number" } } };
  const union = { type: "object", oneOf: [named], definitions: { Other: {} } };

  for (const own of [named, union]) {
    const { schema, split } = withAccount(own, accounts);
    expect(schema).toMatchObject({
      properties: { account, input: { type: "object" } },
      required: ["account", "input"],
    });
    expect(split({ account: "b@example.com", input: { account: 7 } })).toEqual({
      ...{ account: "b@example.com", input: { account: 7 } },
    });
  }
  expect(withAccount(union, accounts).schema).toHaveProperty("definitions");
});

test("many accounts are not repeated in each tool", () => {
  const many = Array.from({ length: 21 }, (_, n) => ({ alias: `a${n}`, identity: undefined }));

  const { schema } = withAccount({ type: "object" }, many);

  expect(JSON.stringify(schema)).not.toContain("a20");
});
