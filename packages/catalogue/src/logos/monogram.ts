import { createHash } from "node:crypto";
import { readableOn } from "./contrast.ts";

// Of one lightness, so that white letters can be read on each (contrast 4.5 or more, WCAG 2.2).
const colours = [
  "#1f5fbf",
  "#6b3fb5",
  "#a8326f",
  "#b03a2e",
  "#9a4a00",
  "#5c6b00",
  "#1e7a34",
  "#007272",
  "#4a5568",
  "#7a4b2a",
];

/** A tile with the name's initials as SVG, in a colour of the product's or one that follows from the name. */
export function makeMonogram(name: string, colour: string = pickColour(name)): string {
  const letters = toInitials(name);
  const size = letters.length > 1 ? 10 : 13;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" role="img" aria-label="${escapeXml(name)}">`,
    `<rect width="24" height="24" rx="5" fill="${colour}"/>`,
    `<text x="12" y="12" fill="${readableOn(colour)}" font-family="system-ui,sans-serif" font-size="${size}" font-weight="600"`,
    ` text-anchor="middle" dominant-baseline="central">${escapeXml(letters)}</text></svg>`,
  ].join("");
}

/** The first letters of the first two words, or the first of the only one. */
function toInitials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? ["?"];
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? "")
    .join("");
}

export function pickColour(name: string): string {
  const [first = 0] = createHash("sha256").update(name).digest();
  return colours[first % colours.length] ?? "#4a5568";
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
