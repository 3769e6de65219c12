import { endOfBlank, endOfString, endOfValue } from "./scan-json.ts";
import { Turns } from "./turns.ts";

/** What is parsed at once, in characters: 1 to 2 ms on a slow machine. */
const PIECE = 64 * 1024;
/** Containers of more than a piece that are inside of each other; those below are parsed at once. */
const MOST_DEPTH = 100;

/**
 * What `JSON.parse` gives for a text of megabytes, in many short tasks, so that the page answers meanwhile. Throws
 * SyntaxError as `JSON.parse` does.
 */
export async function parseInPieces(text: string, pieceLength: number = PIECE): Promise<unknown> {
  const parser = new Parser(text, pieceLength);
  return await parser.parseAll();
}

class Parser {
  readonly #text: string;
  readonly #pieceLength: number;
  #at = 0;
  #depth = 0;
  readonly #turns = new Turns();

  constructor(text: string, pieceLength: number) {
    this.#text = text;
    this.#pieceLength = pieceLength;
  }

  async parseAll(): Promise<unknown> {
    this.#skipBlank();
    const value = await this.#parseValue();
    this.#skipBlank();
    if (this.#at < this.#text.length) this.#fail();
    return value;
  }

  /** The value that begins here. */
  async #parseValue(): Promise<unknown> {
    const isWhole = this.#depth >= MOST_DEPTH;
    const limit = isWhole ? Number.POSITIVE_INFINITY : this.#pieceLength;
    const start = this.#at;
    const end = endOfValue(this.#text, start, limit);
    if (end === undefined) {
      return this.#text[start] === "[" ? await this.#parseArray() : await this.#parseObject();
    }
    this.#at = end;
    const value: unknown = JSON.parse(this.#text.slice(start, end));
    await this.#turns.letOthersRun();
    return value;
  }

  async #parseArray(): Promise<unknown[]> {
    const items: unknown[] = [];
    await this.#parseMembers({
      close: "]",
      addPiece: (piece) => {
        for (const item of JSON.parse(`[${piece}]`)) items.push(item);
      },
      addLarge: async () => void items.push(await this.#parseValue()),
    });
    return items;
  }

  async #parseObject(): Promise<object> {
    const own = {};
    await this.#parseMembers({
      close: "}",
      addPiece: (piece) => {
        for (const [name, value] of Object.entries(JSON.parse(`{${piece}}`))) set(own, name, value);
      },
      addLarge: async () => {
        const name = this.#takeName();
        set(own, name, await this.#parseValue());
      },
    });
    return own;
  }

  /** Members in pieces of many; what is larger than a piece by itself. */
  async #parseMembers({
    close,
    addPiece,
    addLarge,
  }: {
    close: string;
    addPiece: (piece: string) => void;
    addLarge: () => Promise<void>;
  }): Promise<void> {
    this.#depth += 1;
    this.#at += 1;
    let isFirst = true;
    while (!this.#takeClose(close, isFirst)) {
      const start = this.#at;
      const end = this.#endOfPiece(close);
      if (end === undefined) {
        await addLarge();
      } else {
        this.#at = end;
        addPiece(this.#text.slice(start, end));
      }
      await this.#turns.letOthersRun();
      isFirst = false;
    }
    this.#depth -= 1;
  }

  /** Past what closes a container, or to the member that comes next. */
  #takeClose(close: string, isFirst: boolean): boolean {
    this.#skipBlank();
    const isClosed = this.#text[this.#at] === close;
    if (isClosed) {
      this.#at += 1;
      return true;
    }
    if (isFirst) return false;
    this.#take(",");
    if (this.#text[this.#at] === close) this.#fail();
    return false;
  }

  /** Where as many members end as a piece holds; undefined where the first of them is larger than that. */
  #endOfPiece(close: string): number | undefined {
    const text = this.#text;
    const limit = this.#at + this.#pieceLength;
    let whole: number | undefined;
    let from = this.#at;
    for (;;) {
      const start = close === "}" ? this.#startOfMemberValue(from) : from;
      const end = endOfValue(text, start, limit - start);
      if (end === undefined) return whole;
      if (end === start) this.#fail(start);
      whole = end;
      const next = endOfBlank(text, end);
      if (text[next] !== "," || next >= limit) return whole;
      from = endOfBlank(text, next + 1);
    }
  }

  #startOfMemberValue(from: number): number {
    if (this.#text[from] !== '"') this.#fail(from);
    const colon = endOfBlank(this.#text, endOfString(this.#text, from));
    if (this.#text[colon] !== ":") this.#fail(colon);
    return endOfBlank(this.#text, colon + 1);
  }

  /** The name of the member that begins here; afterwards its value does. */
  #takeName(): string {
    const name = String(JSON.parse(this.#text.slice(this.#at, endOfString(this.#text, this.#at))));
    this.#at = this.#startOfMemberValue(this.#at);
    return name;
  }

  #take(sign: string): void {
    if (this.#text[this.#at] !== sign) this.#fail();
    this.#at += 1;
    this.#skipBlank();
  }

  #skipBlank(): void {
    this.#at = endOfBlank(this.#text, this.#at);
  }

  #fail(at: number = this.#at): never {
    throw new SyntaxError(`Unexpected token in JSON at position ${at}`);
  }
}

/** As JSON.parse does, a name such as `__proto__` is a member like others. */
function set(own: object, name: string, value: unknown): void {
  Object.defineProperty(own, name, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}
