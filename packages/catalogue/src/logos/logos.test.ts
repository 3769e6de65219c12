import { expect, test } from "vitest";
import { listProviderIds } from "../built-in.ts";
import { findLogo } from "./find-logo.ts";
import { makeMonogram } from "./monogram.ts";

const sound =
  /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 24 24"[^<>]*>(<(path|rect) [^<>]*\/>|<text [^<>]*>[^<>]*<\/text>)+<\/svg>$/;

test("every provider has a logo that is sound XML and loads nothing", () => {
  for (const id of listProviderIds()) {
    const svg = findLogo(id) ?? "";

    expect(svg, id).toMatch(sound);
    expect(svg.replace("http://www.w3.org/2000/svg", ""), id).not.toMatch(
      /href|script|url\(|https?:/,
    );
  }
});

test("a brand with a free icon shows it, in its colour", () => {
  expect(findLogo("notion")).toMatch(/<path fill="#[0-9A-F]{6}" d="M/);
  expect(findLogo("notion-scim")).toBe(findLogo("notion"));
});

test("another one shows its initials, the same each time", () => {
  expect(findLogo("slack")).toContain(">S</text>");
  expect(findLogo("slack-mcp")).toBe(findLogo("slack"));
  expect(findLogo("no-such-provider")).toBeUndefined();
});

test.each([
  ["Active Campaign", ">AC</text>"],
  ["québec", ">Q</text>"],
  ["", ">?</text>"],
  ["<script>", ">S</text>"],
])("the monogram of %j holds %s", (name, expected) => {
  const svg = makeMonogram(name);

  expect(svg).toContain(expected);
  expect(svg).toBe(makeMonogram(name));
  expect(svg).not.toContain("<script");
});
