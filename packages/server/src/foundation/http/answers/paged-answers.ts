import { setImmediate as immediate } from "node:timers/promises";
import { allowLongStatements } from "../../db/index.ts";

type Pages<Item> = AsyncGenerator<readonly Item[], undefined>;

/** Process-wide: an answer that nobody holds any more leaves by itself. */
const texts = new WeakMap<object, AsyncIterable<string>>();

/**
 * An answer with one list, of which no more than two pages are in memory: a longer one is written page by page, as fast
 * as the caller reads it. What fails on the first two pages is answered as an error; later the answer breaks off.
 */
export async function answerInPages<Name extends string, Item>(
  name: Name,
  pages: Pages<Item>,
): Promise<Record<Name, Item[]>> {
  const first = await pages.next();
  const second = first.done === true ? first : await pages.next();
  if (second.done === true) return toList(name, first.value ?? []);
  allowLongStatements();
  const answer = toList<Name, Item>(name, []);
  texts.set(answer, write(name, [first.value ?? [], second.value], pages));
  return answer;
}

/** The text of an answer that is written page by page; undefined for any other. */
export function textOfPaged(answer: unknown): AsyncIterable<string> | undefined {
  return typeof answer === "object" && answer !== null ? texts.get(answer) : undefined;
}

async function* write<Item>(
  name: string,
  read: readonly (readonly Item[])[],
  rest: Pages<Item>,
): AsyncGenerator<string> {
  let separator = "";
  const toText = (page: readonly Item[]) => {
    if (page.length === 0) return [];
    const text = separator + page.map((item) => JSON.stringify(item)).join(",");
    separator = ",";
    return [text];
  };
  try {
    yield `{${JSON.stringify(name)}:[`;
    for (const page of read) yield* toText(page);
    for await (const page of rest) {
      // Lets others run, however quickly the caller reads.
      await immediate();
      yield* toText(page);
    }
    yield "]}";
  } finally {
    await rest.return(undefined);
  }
}

// A record of one name, which TypeScript takes for any.
function toList<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
): Record<Name, Item[]> {
  return { [name]: [...items] } as Record<Name, Item[]>;
}
