/** Shorter parts say nothing: base64 of anything may have them. */
const SHORTEST_FORM = 8;

/**
 * What a word looks like within base64 of a text that holds it, in both alphabets of RFC 4648: three forms, by how many
 * bytes come before it in its group of three. At the ends, characters that also depend on what is next to it are left
 * out. The letters are exact, since base64 of another case is another text.
 */
export function base64Forms(word: string): string[] {
  const forms = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(word)]);
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor((bytes.length * 8) / 6);
    return [bytes.toString("base64"), bytes.toString("base64url")].map((text) =>
      text.slice(start, end),
    );
  });
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_FORM);
}
