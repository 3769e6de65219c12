import fc from "fast-check";
import { expect, test } from "vitest";
import { parseInPieces } from "../../packages/dashboard/src/data/json/parse-in-pieces.ts";

test("any JSON gives what JSON.parse gives, however small the pieces", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.json({ maxDepth: 4 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom("", " ", "\n\t"),
      async (text, pieceLength, blank) => {
        const spread = JSON.stringify(JSON.parse(text), undefined, blank);

        expect(await parseInPieces(`${blank}${spread}${blank}`, pieceLength)).toStrictEqual(
          JSON.parse(spread),
        );
      },
    ),
  );
});

test("a text with a part missing or added is refused as JSON.parse refuses it", async () => {
  const text = '{"a":[1,{"b":"\\\\\\"]}"},[true]],"c":{"d":-1.5}}';
  for (let place = 0; place < text.length; place += 1) {
    for (const sign of ["", ",", "]", "}", '"', "[", "x", ":"]) {
      const broken = text.slice(0, place) + sign + text.slice(place + 1);
      const cut = text.slice(0, place) + sign;
      for (const given of [broken, cut]) {
        const right = await outcomeOf(async () => JSON.parse(given));
        for (const pieceLength of [1, 8]) {
          const outcome = await outcomeOf(async () => await parseInPieces(given, pieceLength));
          expect([given, outcome]).toEqual([given, right]);
        }
      }
    }
  }
});

test("names that objects have already, and names twice, are members like others", async () => {
  const text = '{"__proto__":{"x":[1,2,3]},"constructor":1,"a":[1],"a":[2,3,4]}';

  const value = await parseInPieces(text, 2);

  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  expect(Object.hasOwn(Object(value), "__proto__")).toBe(true);
});

test("a value of any depth is read", async () => {
  const deep = `${"[".repeat(100_000)}1${"]".repeat(100_000)}`;

  let inner = await parseInPieces(deep, 10);

  for (let depth = 0; depth < 100_000; depth += 1) inner = Array.isArray(inner) ? inner[0] : "less";
  expect(inner).toBe(1);
});

test("what else waits runs while megabytes are read", async () => {
  const text = JSON.stringify(Array.from({ length: 200_000 }, (_, id) => ({ id, name: "row" })));
  let others = 0;
  const timer = setInterval(() => {
    others += 1;
  }, 1);

  await parseInPieces(text);

  clearInterval(timer);
  expect(others).toBeGreaterThan(1);
});

async function outcomeOf(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return { value: await read() };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return "refused";
  }
}
