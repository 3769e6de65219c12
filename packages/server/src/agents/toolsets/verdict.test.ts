import { expect, test } from "vitest";
import { holdConditions, type InputCondition } from "./input-conditions.ts";
import type { PolicyRule, RuledTool, ToolsetPolicy, ToolsetSettings } from "./toolset.ts";
import { verdictOn } from "./verdict.ts";

const send: RuledTool = { integration: "mail", action: "send", effect: "write", sends: true };
const note: RuledTool = { ...send, action: "note", sends: false };
const wipe: RuledTool = { ...note, action: "wipe", effect: "destructive" };
const look: RuledTool = { ...note, action: "look", effect: "read" };
const open: RuledTool = { ...look, action: "open", sends: true };

function withPolicy(policy: ToolsetPolicy | undefined): ToolsetSettings {
  return { description: "", mode: "direct", tools: [{ integration: "mail" }], policy };
}

function decide(
  tool: RuledTool,
  policy: ToolsetPolicy | undefined,
  facts: { input?: unknown; isTainted?: boolean; isFromOthers?: boolean } | "any call" = {},
) {
  const settings = [withPolicy(policy)];
  if (facts === "any call") return verdictOn(tool, { settings, policy: {} });
  const { input = {}, isTainted = false, ...others } = facts;
  return verdictOn(tool, { settings, policy: {} }, { input, isTainted, ...others });
}

test.each([
  [
    "trusted",
    ["allow", "allow", "allow", "allow", "allow"],
    ["ask", "allow", "ask", "allow", "deny"],
  ],
  ["careful", ["ask", "ask", "ask", "allow", "allow"], ["ask", "ask", "ask", "allow", "deny"]],
  [
    "read_only",
    ["deny", "deny", "deny", "allow", "allow"],
    ["deny", "deny", "deny", "allow", "deny"],
  ],
] as const)(
  "%s asks about sends and destruction once others' text was read",
  (preset, before, after) => {
    const all = (isTainted: boolean) =>
      [send, note, wipe, look, open].map((tool) => decide(tool, { preset }, { isTainted }));

    expect(all(false)).toEqual(before);
    expect(all(true)).toEqual(after);
  },
);

test("a toolset that an earlier release made without a policy stays as it was", () => {
  expect(decide(send, undefined, { isTainted: true })).toBe("allow");
});

test("a rule lets a risky call pass while tainted only where it says so", () => {
  const rule: PolicyRule = { action: "send", verdict: "allow" };
  const policy = (more: object): ToolsetPolicy => ({
    ...{ preset: "careful", rules: [{ ...rule, ...more }] },
  });

  expect(decide(send, policy({}), { isTainted: false })).toBe("allow");
  expect(decide(send, policy({}), { isTainted: true })).toBe("ask");
  expect(decide(send, policy({ tainted: true }), { isTainted: true })).toBe("allow");
  expect(decide(send, policy({ tainted: true }), { isTainted: false })).toBe("ask");
  expect(decide(send, policy({ tainted: false }), { isTainted: false })).toBe("allow");
  expect(decide(send, policy({ tainted: false }), { isTainted: true })).toBe("ask");
});

test("a rule about arguments decides for calls, and takes no tool away", () => {
  const input: InputCondition[] = [{ path: "/to", op: "domain_in", value: ["example.com"] }];
  const allowing: ToolsetPolicy = { preset: "read_only", rules: [{ input, verdict: "allow" }] };
  const denying: ToolsetPolicy = { preset: "trusted", rules: [{ input, verdict: "deny" }] };
  const own = { input: { to: "ada@example.com" } };
  const other = { input: { to: "eve@evil.example" } };

  expect(decide(note, allowing, "any call")).toBe("allow");
  expect([decide(note, allowing, own), decide(note, allowing, other)]).toEqual(["allow", "deny"]);
  expect(decide(note, denying, "any call")).toBe("allow");
  expect([decide(note, denying, own), decide(note, denying, other)]).toEqual(["deny", "allow"]);
  expect(decide(note, { preset: "trusted", rules: [{ verdict: "deny" }] }, "any call")).toBe(
    "deny",
  );
});

test("a rule about where arguments come from", () => {
  const rules: PolicyRule[] = [{ provenance: "untrusted", verdict: "deny" }];

  expect(decide(note, { preset: "trusted", rules }, { isFromOthers: true })).toBe("deny");
  expect(decide(note, { preset: "trusted", rules }, { isFromOthers: false })).toBe("allow");
  expect(decide(note, { preset: "trusted", rules }, "any call")).toBe("allow");
});

const domains = ["example.com"];
const cases: readonly [
  name: string,
  condition: InputCondition,
  input: unknown,
  every: boolean,
  some: boolean,
][] = [
  ["one of", { path: "/a", op: "in", value: ["x", 1] }, { a: 1 }, true, true],
  ["not one of", { path: "/a", op: "in", value: ["x", 1] }, { a: "1" }, false, false],
  ["a missing value", { path: "/b", op: "in", value: ["x"] }, { a: "x" }, false, false],
  [
    "nothing of its prototype",
    { path: "/constructor/name", op: "in", value: ["Object"] },
    {},
    false,
    false,
  ],
  ["up to", { path: "/n", op: "lte", value: 10 }, { n: 10 }, true, true],
  ["more", { path: "/n", op: "lte", value: 10 }, { n: 10.1 }, false, false],
  ["a number as text", { path: "/n", op: "lte", value: 10 }, { n: "1" }, false, false],
  ["a form", { path: "/a", op: "matches", value: "inv-*-?" }, { a: "INV-2026-a" }, true, true],
  [
    "another form",
    { path: "/a", op: "matches", value: "inv-*-?" },
    { a: "inv-2026-ab" },
    false,
    false,
  ],
  ["the whole input", { path: "", op: "in", value: ["x"] }, "x", true, true],
  ["a list as a whole", { path: "/a", op: "in", value: ["x"] }, { a: ["x", "y"] }, false, true],
  [
    "items",
    { path: "/a/*/b", op: "in", value: ["x"] },
    { a: [{ b: "x" }, { b: "x" }] },
    true,
    true,
  ],
  [
    "items without it",
    { path: "/a/*/b", op: "in", value: ["x"] },
    { a: [{ b: "x" }, { c: "y" }] },
    false,
    true,
  ],
  ["no items", { path: "/a", op: "in", value: ["x"] }, { a: [] }, false, false],
  ["a name with a slash", { path: "/a~1b", op: "in", value: ["x"] }, { "a/b": "x" }, true, true],
  [
    "a mail address",
    { path: "/t", op: "domain_in", value: domains },
    { t: "Ada <ada@Example.com>" },
    true,
    true,
  ],
  [
    "a domain below",
    { path: "/t", op: "domain_in", value: domains },
    { t: "a@mail.example.com." },
    true,
    true,
  ],
  [
    "a web address",
    { path: "/t", op: "domain_in", value: domains },
    { t: "https://example.com/x" },
    true,
    true,
  ],
  [
    "several addresses",
    { path: "/t", op: "domain_in", value: domains },
    { t: "a@example.com, b@evil.io" },
    false,
    true,
  ],
  [
    "a domain that ends alike",
    { path: "/t", op: "domain_in", value: domains },
    { t: "a@notexample.com" },
    false,
    false,
  ],
  [
    "a domain in front",
    { path: "/t", op: "domain_in", value: domains },
    { t: "a@example.com.evil.io" },
    false,
    false,
  ],
  [
    "a user part",
    { path: "/t", op: "domain_in", value: domains },
    { t: "https://example.com@evil.io" },
    false,
    false,
  ],
  [
    "a backslash",
    { path: "/t", op: "domain_in", value: domains },
    { t: "https://example.com\\@evil.io" },
    false,
    false,
  ],
  [
    "fields of a mail link",
    { path: "/t", op: "domain_in", value: domains },
    { t: "a@example.com?bcc=e%40evil.io" },
    false,
    false,
  ],
  [
    "another scheme",
    { path: "/t", op: "domain_in", value: domains },
    { t: "javascript://example.com/%0a" },
    false,
    false,
  ],
  [
    "two addresses in one",
    { path: "/t", op: "domain_in", value: domains },
    { t: "evil@evil.io a@example.com" },
    false,
    false,
  ],
  [
    "a look-alike",
    { path: "/t", op: "domain_in", value: domains },
    { t: "a@exаmple.com" },
    false,
    false,
  ],
];

test.each(cases)("a condition on %s", (_name, condition, input, every, some) => {
  expect(holdConditions([condition], input, "every")).toBe(every);
  expect(holdConditions([condition], input, "some")).toBe(some);
});

test("more values than are looked at meet what refuses, and not what allows", () => {
  const condition: InputCondition = { path: "/a", op: "in", value: ["x"] };
  const input = { a: Array.from({ length: 1001 }, () => "x") };

  expect(holdConditions([condition], input, "every")).toBe(false);
  expect(holdConditions([condition], { a: input.a.map(() => "y") }, "some")).toBe(true);
});
