/** So many characters of a secret are looked for; where they stand, the rest of it is hidden as well. */
const LOOKED_FOR = 64;

class Node {
  readonly next = new Map<number, Node>();
  /** Secrets that end here, or continue from here; a secret may be added twice. */
  readonly rests: string[] = [];
}

/**
 * Texts that are looked for all at once: a character costs a lookup or two, however many there are, and at worst
 * one for each of the first 64 characters of a text, where a hostile author lets all of them begin alike.
 */
export class SecretTrie {
  readonly #root = new Node();
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(secret: string): void {
    let node = this.#root;
    for (let at = 0; at < secret.length && at < LOOKED_FOR; at += 1) {
      const unit = secret.charCodeAt(at);
      const next = node.next.get(unit) ?? new Node();
      node.next.set(unit, next);
      node = next;
    }
    node.rests.push(secret.slice(LOOKED_FOR));
    this.#count += 1;
  }

  /** Takes back one `add` of the same text. */
  delete(secret: string): void {
    const path: Node[] = [this.#root];
    for (let at = 0; at < secret.length && at < LOOKED_FOR; at += 1) {
      const next = path[at]?.next.get(secret.charCodeAt(at));
      if (next === undefined) return;
      path.push(next);
    }
    const last = path.at(-1);
    const place = last?.rests.indexOf(secret.slice(LOOKED_FOR)) ?? -1;
    if (last === undefined || place === -1) return;
    last.rests.splice(place, 1);
    this.#count -= 1;
    for (let depth = path.length - 1; depth > 0; depth -= 1) {
      const node = path[depth];
      if (node === undefined || node.next.size > 0 || node.rests.length > 0) return;
      path[depth - 1]?.next.delete(secret.charCodeAt(depth - 1));
    }
  }

  /** The text with `mark` in place of each secret; of two that begin at one place the longer is hidden. */
  hideIn(text: string, mark: string): string {
    let hidden = "";
    let shown = 0;
    for (let at = 0; at < text.length; at += 1) {
      const end = this.#endAt(text, at);
      if (end === at) continue;
      hidden += text.slice(shown, at) + mark;
      shown = end;
      at = end - 1;
    }
    return shown === 0 ? text : hidden + text.slice(shown);
  }

  /** Where the longest secret ends that begins at `start`; `start` where none does. */
  #endAt(text: string, start: number): number {
    let node: Node | undefined = this.#root;
    let end = start;
    for (let at = start; node !== undefined && at <= text.length; at += 1) {
      for (const rest of node.rests) end = Math.max(end, at + commonLength(rest, text, at));
      node = node.next.get(text.charCodeAt(at));
    }
    return end;
  }
}

function commonLength(rest: string, text: string, from: number): number {
  let length = 0;
  while (length < rest.length && rest.charCodeAt(length) === text.charCodeAt(from + length)) {
    length += 1;
  }
  return length;
}
