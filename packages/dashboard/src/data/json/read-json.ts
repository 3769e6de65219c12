import { Turns } from "./turns.ts";

/** From this length on a text is parsed in pieces. `JSON.parse` takes 5 ms for it on a slow machine. */
const LARGE = 256 * 1024;

/** The body of an answer; undefined where it is no JSON. A large one is read without holding the page up. */
export async function readJson(response: Response): Promise<unknown> {
  try {
    const text = await readText(response);
    if (text.length < LARGE) return JSON.parse(text);
    // Without that code the page is held up, and has its data.
    const inPieces = await import("./parse-in-pieces.ts").catch(() => undefined);
    return inPieces === undefined ? JSON.parse(text) : await inPieces.parseInPieces(text);
  } catch {
    return undefined;
  }
}

/** `response.text()` decodes all of it in one task: 170 ms for 10 MB on a slow machine. */
async function readText({ body }: Response): Promise<string> {
  if (body === null) return "";
  const turns = new Turns();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const parts: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(decoder.decode(value, { stream: true }));
    await turns.letOthersRun();
  }
  parts.push(decoder.decode());
  return parts.join("");
}
