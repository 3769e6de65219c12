/** Controls but tab and line ends, and what else nobody sees: it may hide from a reader what a model reads. */
const unseen =
  /(?![\t\n\r])\p{Cc}|[\u{fff9}-\u{fffb}]|(?!\u{200c}|\u{200d}|\u{fe0e}|\u{fe0f}|[\u{e0100}-\u{e01ef}])\p{Default_Ignorable_Code_Point}/gu;
/** A joiner stays between the letters and pictures that it joins (The Unicode Standard, section 23.2). */
const strayJoiner =
  /(?<![\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Extended_Pictographic}\p{Emoji_Modifier}]|\u{fe0f})(?:\u{200c}|\u{200d})|(?:\u{200c}|\u{200d})(?![\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Extended_Pictographic}\p{Emoji_Modifier}]|\u{fe0f})/gu;
/** A variation selector stays after what it varies. */
const straySelector =
  /(?<!\p{Emoji})(?:\u{fe0e}|\u{fe0f})|(?<!\p{Script=Han})[\u{e0100}-\u{e01ef}]/gu;
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
  const seen = text
    .replaceAll(unseen, count)
    .replaceAll(straySelector, count)
    .replaceAll(strayJoiner, count);
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
