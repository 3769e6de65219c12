import fc from "fast-check";
import { expect, test } from "vitest";
import { explainJson, scanJson } from "./scan-json.ts";

const rules = { maxDepth: 100 };
const scan = (text: string, extra = {}) => scanJson(Buffer.from(text), { ...rules, ...extra });

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("it takes what JSON.parse takes, for any JSON with one character changed", () => {
  const texts = fc
    .json()
    .chain((text) =>
      fc
        .tuple(
          fc.nat(text.length),
          fc.constantFrom(..." \"\\{}[]:,01-+.eEtfnux\u0000\n'"),
          fc.nat(2),
        )
        .map(([at, character, cut]) => text.slice(0, at) + character + text.slice(at + cut)),
    );

  fc.assert(
    fc.property(fc.oneof(fc.json(), texts), (text) => {
      expect(scan(text) !== undefined).toBe(isJson(text));
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ...["", " ", "{", "}", "[", "]", "[,]", "[1,]", "{,}", '{"a"}', '{"a":}', '{"a":1,}', "{1:2}"],
  ...["01", "-", "1.", ".5", "1e", "1e+", "+1", "NaN", "tru", "nulll", "'a'", '"a', '"\\x"'],
  ...[
    '"\\u12g4"',
    '"\\u123',
    '"\t"',
    '"a"b',
    "1 2",
    "[1 2]",
    "[}",
    "{]",
    "[1}",
    '{"a":1]',
    "\u00a0",
  ],
])("%j is no JSON", (text) => {
  expect(scan(text)).toBeUndefined();
  expect(isJson(text)).toBe(false);
});

test.each([
  ...["0", "-0", "1.5e-7", "1E+9", '""', '"\\u00e9\\n\\/"', "true", "false", "null"],
  ...["[]", "{}", " [ 1 , { } ] ", '{"":{"":[]}}', '{"a":1,"a":2}'],
])("%j is JSON", (text) => {
  expect(scan(text)).toBeDefined();
});

test("depth and number of values are bounded", () => {
  const nested = `${"[".repeat(100)}${"]".repeat(100)}`;

  expect(scan(nested)?.depth).toBe(100);
  expect(scan(`[${nested}]`)).toBeUndefined();
  expect(scan("[1,2,3]", { maxValues: 4 })?.values).toBe(4);
  expect(scan("[1,2,3]", { maxValues: 3 })).toBeUndefined();
});

test.each([
  ['{"id":"a"}', '"a"'],
  ['{ "id" : "a" , "b":1}', '"a"'],
  ['{"b":{"id":"x"},"id":[1,{"id":2}],"c":3}', '[1,{"id":2}]'],
  ['{"\\u0069d":1}', "1"],
  ['{"id":{}}', "{}"],
  ['{"id":1,"id":2}', undefined],
  ['{"id":1,"\\u0069\\u0064":2}', undefined],
  ['[{"id":1}]', undefined],
  ['{"Id":1,"idx":2,"i":3}', undefined],
])("of %s the member id is %s", (text, found) => {
  const member = scan(text, { member: "id" })?.member;

  expect(member && text.slice(member.start, member.end)).toBe(found);
});

test.each([
  ['"\\u0000"', { nulAt: 3 }],
  ['"\\ud800"', { halfPairAt: 3 }],
  ['"\\ud800\\u0041"', { halfPairAt: 3 }],
  ['["","\\udc00"]', { halfPairAt: 7 }],
  ['"\\ud83d\\ude00"', {}],
  ['"\\\\u0000"', {}],
  ["[1e308, -1e309]", { hugeNumber: { start: 8, end: 14 } }],
  [`[1,${"9".repeat(309)}]`, { hugeNumber: { start: 3, end: 312 } }],
  [`[${"9".repeat(308)}, 0.${"1".repeat(400)}, 1e-400]`, {}],
])("what not every reader gives back is found in %s", (text, found) => {
  const none = { nulAt: undefined, halfPairAt: undefined, hugeNumber: undefined };
  expect(scan(text)?.oddities).toEqual({ ...none, ...found });
});

test.each([
  ["[[[1]]]", { maxDepth: 2 }, { reason: "too deep", at: 2, values: 3 }],
  ["[1,2,3]", { maxDepth: 2, maxValues: 3 }, { reason: "too many values", at: 5, values: 3 }],
  ["[1,2,x]", { maxDepth: 2 }, { reason: "not JSON", at: 5, values: 4 }],
  ["[1,2]]", { maxDepth: 2 }, { reason: "not JSON", at: 5, values: 3 }],
] as const)("where %s breaks off, and why", (text, rules, found) => {
  expect(explainJson(Buffer.from(text), rules)).toMatchObject(found);
});

test("a span is scanned within its bounds", () => {
  const bytes = Buffer.from('x"a",12345');

  expect(scanJson(bytes, rules, { start: 1, end: 4 })).toBeDefined();
  expect(scanJson(bytes, rules, { start: 1, end: 3 })).toBeUndefined();
  expect(scanJson(bytes, rules, { start: 5, end: 7 })).toBeDefined();
});
