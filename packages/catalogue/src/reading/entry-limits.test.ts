import { expect, test } from "vitest";
import { cpuMsOf } from "../../../../tests/cpu-time.ts";
import { countSteps } from "../patterns/pattern-cost.ts";
import { compileTemplate, renderTemplate, TemplateError } from "../templates/template.ts";
import { findSizeFault } from "./entry-limits.ts";
import { readFamily } from "./read-family.ts";

function nest(depth: number): object {
  let value: object = {};
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

test.each([
  ["deep objects", nest(5000), /nested/],
  ["many values", { a: Array.from({ length: 100_000 }, () => 1) }, /values/],
  ["a long text", { a: "x".repeat(8193) }, /8192/],
  ["many texts", { a: Array.from({ length: 9 }, () => "x".repeat(8000)) }, /65536 characters/],
  [
    "many fields",
    { credentials: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, {}])) },
    /fields/,
  ],
])("an entry with %s is too large", (_what, entry, fault) => {
  expect(findSizeFault(entry)).toMatch(fault);
});

test.each([null, undefined, 1, "x", [], {}, { credentials: 1 }, { credentials: null }])(
  "%j is not too large",
  (entry) => {
    expect(findSizeFault(entry)).toBeUndefined();
  },
);

test.each([
  ["keys", Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join("\n"), /characters/],
  ["nested lists", "[".repeat(16_000), /call stack|Flow/],
  ["nested dashes", "- ".repeat(8000), /call stack|nested/i],
  ["directives", "%a\n".repeat(5000), /directives/],
  ["keys of one mapping", Array.from({ length: 1600 }, (_, n) => `k${n}: 1`).join("\n"), /family/],
  ["a repeated key", "family: a\nfamily: b\n", /Map keys must be unique at line 2, column 1/],
  ["variants", `family: a\nname: a\nvariants:\n${"  - {}\n".repeat(51)}`, /more than 50 variants/],
  [
    "a shared part that counts for every variant",
    `family: a\nname: a\nshared:\n  x: [${"1,".repeat(3900)}]\nvariants:\n${"  - {}\n".repeat(50)}`,
    /more than 4000 values/,
  ],
])("a file with %s is refused within bounds", async (_what, text, fault) => {
  const faults: string[] = [];

  const spent = await cpuMsOf(() => faults.push(...readFamily("a.yaml", text).faults));

  expect(faults.join("\n")).toMatch(fault);
  expect(spent).toBeLessThan(1500);
});

test("warnings of a file are not printed", () => {
  const seen: unknown[] = [];
  const keep = (warning: unknown) => seen.push(warning);
  process.on("warning", keep);

  readFamily("a.yaml", "%a\n%b\n---\nfamily: a\n");

  process.off("warning", keep);
  expect(seen).toEqual([]);
});

test.each([
  `{{${"lower(".repeat(17)}config.a${")".repeat(17)}}}`,
  `{{${"lower(".repeat(2000)}config.a${")".repeat(2000)}}}`,
  `{{${Array.from({ length: 300 }, () => "config.a").join(" ~ ")}}}`,
])("a placeholder of too many parts is refused", (text) => {
  expect(() => compileTemplate(text)).toThrow(TemplateError);
});

test.each([
  `{{${"hex(".repeat(16)}config.a${")".repeat(16)}}}`,
  `{{${"replace(".repeat(8)}config.a${', "a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")'.repeat(8)}}}`,
  `{{${"replace(".repeat(8)}config.a${', "", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")'.repeat(8)}}}`,
])("a placeholder that multiplies its value ends with an error of its own", (text) => {
  const template = compileTemplate(text);

  expect(() => renderTemplate(template, { config: { a: "a".repeat(8000) } })).toThrow(/too long/);
});

test.each([
  ["a", 1],
  ["[a-z0-9]{30}", 30],
  ["(a{10}){10}", 110],
  ["((ab{3}c){2}d){4}", 60],
  ["[]{9}]{3}", 3],
  ["[[:alpha:]{2}]{4}", 4],
  ["\\p{Greek}{5}", 5],
  ["\\{5}", 2],
  ["a{2,}", 3],
])("%s takes at least %d steps", (pattern, least) => {
  expect(countSteps(pattern)).toBeGreaterThanOrEqual(least);
});
