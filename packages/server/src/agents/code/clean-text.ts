/** Controls, and characters that nobody sees: they may hide from a reader what a model reads. */
const unseen =
  /[\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
/** Of C0, as JSON writes them; a backslash that stands for itself is passed over. */
const escaped = /\\\\|\\u00[01][0-9a-f]|\\[bf]/g;

/** JSON text without characters that are no text, and how many were removed; lines and tabs stay. */
export function cleanJson(json: string): { readonly json: string; readonly removed: number } {
  let removed = 0;
  const count = () => {
    removed += 1;
    return "";
  };
  const cleaned = json
    .replaceAll(unseen, count)
    .replaceAll(escaped, (found) => (found === "\\\\" ? found : count()));
  return { json: cleaned, removed };
}
