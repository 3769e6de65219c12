import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanResult } from "./clean-result.ts";
import { cleanShownText } from "./clean-text.ts";

const hiding = [
  ...["\u0000", "\u0007", "\u001b", "\u007f", "\u0085", "\u00ad", "\u034f", "\u061c", "\u115f"],
  ...["\u180e", "\u200b", "\u200c", "\u200d", "\u200e", "\u202a", "\u202e", "\u2060", "\u2064"],
  ...["\u2066", "\u2069", "\u3164", "\ufe00", "\ufe0f", "\ufeff", "\ufff9", "\u{1d173}"],
  ...["\u{e0001}", "\u{e0041}", "\u{e007f}", "\u{e0100}", "\u{e01ef}"],
];

test.each(hiding)("%j is not shown", (character) => {
  expect(cleanShownText(`pay${character}load`)).toEqual({ text: "payload", removed: 1 });
  expect(cleanShownText(`pay${character.repeat(3)}load`)).toEqual({ text: "payload", removed: 3 });
});

test.each([
  ...["line\nline\ttab\r\n", "naïve café", "日本語 한국어", "C:\\bin\\u0007", "\u2028", "a\u00a0b"],
  ...["👨‍👩‍👧", "❤️", "👍🏽", "می‌خواهم", "क्‍ष", "葛\u{e0100}", "\u0600\u06dd"],
])("%j stays as it is", (text) => {
  expect(cleanShownText(text)).toEqual({ text, removed: 0 });
});

test("controls that JSON escapes are taken out of JSON, and of nothing else", () => {
  const value = { a: "x\u0007y", path: "C:\\u0007", big: "12" };
  const json = JSON.stringify(value);

  expect(JSON.parse(cleanShownText(json).text)).toEqual({ ...value, a: "xy" });
  expect(cleanShownText('{"n":12345678901234567890,"b":"\\b"}').text).toBe(
    '{"n":12345678901234567890,"b":""}',
  );
  expect(cleanShownText("C:\\bin \\u0007").text).toBe("C:\\bin \\u0007");
});

test("of a result all texts are cleaned, and what is no text is left alone", () => {
  const hidden = "a\u{e0041}b";
  const result = {
    isError: true,
    content: [
      { type: "text", text: hidden },
      { type: "image", data: "QUJD", mimeType: "image/png" },
      { type: "resource", resource: { uri: "x://y", text: hidden, blob: "QUJD" } },
      { type: "resource_link", uri: "x://y", name: hidden, description: hidden },
    ],
    structuredContent: { [hidden]: [hidden, 1, null] },
    _meta: { kept: true },
  };

  const cleaned = cleanResult(result);

  expect(JSON.stringify(cleaned)).not.toMatch(/[\u{e0000}-\u{e007f}]/u);
  expect(cleaned).toMatchObject({
    ...{ isError: true, structuredContent: { ab: ["ab", 1, null] } },
    _meta: { kept: true, "dev.jackfield/removed_characters": 6 },
  });
  expect(cleaned["content"]).toMatchObject([{ text: "ab" }, { data: "QUJD" }, {}, { name: "ab" }]);
});

test("any JSON value stays JSON, without anything hidden, and clean values are the same", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...hiding), (value, character) => {
      const text = JSON.stringify({ value, hidden: `a${character}b` });
      const once = cleanShownText(text).text;
      expect(() => JSON.parse(once)).not.toThrow();
      expect(JSON.parse(once).hidden).toBe("ab");
      expect(cleanShownText(once)).toEqual({ text: once, removed: 0 });
    }),
    { numRuns: 500 },
  );
});
