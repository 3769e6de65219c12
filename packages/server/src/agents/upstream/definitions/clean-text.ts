/**
 * Control characters but line feed and tab, and what nobody sees: format characters such as zero-width and
 * bidirectional ones, variation selectors, and tag characters.
 */
const unseen =
  /\p{Cf}|\p{Co}|\p{Cs}|\p{Cn}|[\u{FE00}-\u{FE0F}]|[\u{E0100}-\u{E01EF}]|\u{115F}|\u{1160}|\u{3164}|\u{FFA0}/gu;

/** A stranger's text as somebody may read it, cut to so many characters. */
export function cleanText(text: string, longest: number): string {
  // More than this is cut off anyway, and need not be looked at.
  const seen = [...text.slice(0, 4 * longest).replaceAll(unseen, "")]
    .filter((char) =>
      char >= " " ? char !== "\u007f" && !isC1(char) : char === "\n" || char === "\t",
    )
    .join("");
  const characters = [...seen];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : seen;
}

function isC1(char: string): boolean {
  return char >= "\u0080" && char <= "\u009f";
}
