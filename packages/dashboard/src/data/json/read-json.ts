/** From this length on a text is parsed in pieces. `JSON.parse` takes 5 ms for it on a slow machine. */
const LARGE = 256 * 1024;

/** The body of an answer; undefined where it is no JSON. A large one is read without holding the page up. */
export async function readJson(response: Response): Promise<unknown> {
  try {
    const text = await response.text();
    if (text.length < LARGE) return JSON.parse(text);
    const { parseInPieces } = await import("./parse-in-pieces.ts");
    return await parseInPieces(text);
  } catch {
    return undefined;
  }
}
