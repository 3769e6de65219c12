/** Printing stops at this depth of the value: deeper ones are shown as a mark. */
const MOST_DEPTH = 200;

/**
 * The beginning of a value's JSON, as `JSON.stringify` prints it with two spaces. It looks at no more of the value than
 * it prints, so that megabytes hold the page up no longer than a line does.
 */
export function jsonBeginning(value: unknown, mostCharacters: number): string {
  const printer = new Printer(mostCharacters);
  printer.print(value, "");
  return printer.text;
}

class Printer {
  #parts: string[] = [];
  #left: number;

  constructor(mostCharacters: number) {
    this.#left = mostCharacters;
  }

  get text(): string {
    return this.#parts.join("");
  }

  print(value: unknown, indent: string): void {
    if (this.#left <= 0) return;
    if (typeof value === "string") this.#printText(value);
    else if (typeof value !== "object" || value === null) {
      this.#add(JSON.stringify(value) ?? "");
    } else if (indent.length >= 2 * MOST_DEPTH) this.#add("…");
    else if (Array.isArray(value)) {
      this.#printAll(value.keys(), ["[", "]"], indent, (key, inner) => {
        this.print(value[key] ?? null, inner);
      });
    } else {
      const own = Object(value);
      this.#printAll(namesOf(own), ["{", "}"], indent, (name, inner) => {
        this.#printText(name);
        this.#add(": ");
        this.print(own[name], inner);
      });
    }
  }

  #printAll<Key>(
    keys: Iterable<Key>,
    [open, close]: readonly [string, string],
    indent: string,
    print: (key: Key, inner: string) => void,
  ): void {
    const inner = `${indent}  `;
    let isFirst = true;
    this.#add(open);
    for (const key of keys) {
      if (this.#left <= 0) return;
      this.#add(`${isFirst ? "" : ","}\n${inner}`);
      print(key, inner);
      isFirst = false;
    }
    this.#add(isFirst ? close : `\n${indent}${close}`);
  }

  /** Of a long text only what can be seen is escaped. */
  #printText(text: string): void {
    const shown = text.length > this.#left ? text.slice(0, this.#left) : text;
    this.#add(JSON.stringify(shown));
  }

  #add(text: string): void {
    this.#parts.push(text);
    this.#left -= text.length;
  }
}

function* namesOf(own: Readonly<Record<string, unknown>>): Generator<string> {
  for (const name in own) if (Object.hasOwn(own, name) && own[name] !== undefined) yield name;
}
