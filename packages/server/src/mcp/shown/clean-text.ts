/** Letters and pictures between which a joiner is part of the writing (Unicode 17, section 23.2). */
const joined =
  "\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\u{fe0f}";
const joiner = "[\\u{200c}\\u{200d}]";
const ignorable = `(?!${joiner}|[\\u{fe0e}\\u{fe0f}]|[\\u{e0100}-\\u{e01ef}])\\p{Default_Ignorable_Code_Point}`;
/**
 * Controls but tab and line ends, and characters that nobody sees: they may hide from a reader what a model reads. One
 * joiner, or one variation selector, stays where the text needs it to look as it does.
 */
const unseen = new RegExp(
  [
    "[\\u{0}-\\u{8}\\u{b}\\u{c}\\u{e}-\\u{1f}\\u{7f}-\\u{9f}\\u{fff9}-\\u{fffb}]",
    ignorable,
    `(?<![${joined}])${joiner}`,
    `${joiner}(?![${joined}])`,
    "(?<!\\p{Emoji})[\\u{fe0e}\\u{fe0f}]",
    "(?<!\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]",
  ].join("|"),
  "gu",
);
/** Controls as JSON writes them; a backslash that stands for itself is passed over. */
const escaped = /\\\\|\\u00[01][0-9a-f]|\\[bf]/g;

interface Cleaned {
  readonly text: string;
  readonly removed: number;
}

/** A text without characters that nobody sees, and how many were removed; JSON stays the same JSON but for them. */
export function cleanShownText(text: string): Cleaned {
  let removed = 0;
  const count = () => {
    removed += 1;
    return "";
  };
  const seen = text.replaceAll(unseen, count);
  if (!seen.includes("\\") || !isJson(seen)) return { text: seen, removed };
  const cleaned = seen.replaceAll(escaped, (found) => (found === "\\\\" ? found : count()));
  return { text: cleaned, removed };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
