import { expect, test } from "vitest";
import { listProviderIds } from "../built-in/built-in.ts";
import { contrastOf } from "./contrast.ts";
import { findLogo } from "./find-logo.ts";
import { makeMonogram } from "./monogram.ts";

const sound =
  /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 24 24"[^<>]*>(<(path|rect) [^<>]*\/>|<text [^<>]*>[^<>]*<\/text>)+<\/svg>$/;

test("every provider has a logo that is sound XML and loads nothing", () => {
  for (const id of listProviderIds()) {
    const svg = findLogo(id) ?? "";

    expect(svg, id).toMatch(sound);
    // A tile of its own, and nothing around it: pages draw no frame.
    expect(svg, id).toContain('<rect width="24" height="24" rx="5" fill="#');
    expect(svg.replace("http://www.w3.org/2000/svg", ""), id).not.toMatch(
      /href|script|url\(|https?:/,
    );
  }
});

test("a brand with a free icon shows it, in its colour", () => {
  expect(findLogo("notion")).toMatch(/<path fill="#[0-9A-F]{6}" d="M/);
  expect(findLogo("notion-scim")).toBe(findLogo("notion"));
});

test("letters and glyphs can be seen on their tile", () => {
  for (const id of listProviderIds()) {
    const [tile = "", mark = ""] = [...(findLogo(id) ?? "").matchAll(/ fill="([^"]+)"/g)].map(
      ([, colour]) => colour,
    );
    const least = findLogo(id)?.includes("<text") ? 4.5 : 1.6;

    expect(contrastOf(tile, mark), id).toBeGreaterThanOrEqual(least);
  }
});

test("another one shows its initials, the same each time", () => {
  expect(findLogo("slack")).toContain(">S</text>");
  expect(findLogo("slack-mcp")).toBe(findLogo("slack"));
  expect(findLogo("slack")).toContain('fill="#4a154b"');
  expect(findLogo("slack", "Team chat")).toContain(">TC</text>");
  expect(findLogo("slack", "Team chat")).toContain('fill="#4a154b"');
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
