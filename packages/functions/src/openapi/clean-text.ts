/** Controls, marks that change the direction of a line, and what is not seen: RFC 9839 and Unicode TR 36. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|\u034f|\u115f|\u1160|\u17b4|\u17b5|[\u180b-\u180f]|\u3164|[\ufe00-\ufe0f]|\uffa0|[\u{e0100}-\u{e01ef}]/gu;

/** Text of a document as one line of what a person sees, at most `most` characters. */
export function cleanText(text: string, most: number): string {
  // A long text is cut first, so that it costs no more than what is kept of it.
  const line = text
    .slice(0, most * 4)
    .toWellFormed()
    .replaceAll(/[\s\p{Zs}]+/gu, " ")
    .replaceAll(UNSEEN, "")
    .trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

/** Whether a name can be sent, written and read as it is. */
export function isCleanName(name: string): boolean {
  return name !== "" && name !== "__proto__" && name === cleanText(name, 200);
}
