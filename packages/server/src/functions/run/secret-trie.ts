/** So many characters of a secret are looked for; where they stand, the rest of it is hidden as well. */
const LOOKED_FOR = 64;

class Node {
  readonly next = new Map<number, Node>();
  /** What follows of the secrets that lead here, in order once linked; a secret may be added twice. */
  readonly rests: string[] = [];
  /** Where a search continues after a mismatch: the longest end of what leads here that begins a secret. */
  fallback: Node | undefined;
  /** The longest end of what leads here, itself included, that is a secret. */
  longest: Node | undefined;
  readonly depth: number;

  constructor(depth: number) {
    this.depth = depth;
  }

  /** How far the text continues at `at` as one of the secrets does that lead here: in their order, one of the two around it. */
  restIn(text: string, at: number): number {
    if (this.rests.at(-1) === "") return 0;
    let low = 0;
    let high = this.rests.length;
    const rest = text.slice(at);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.rests[middle] ?? "") < rest) low = middle + 1;
      else high = middle;
    }
    const around = [this.rests[low - 1] ?? "", this.rests[low] ?? ""];
    return Math.max(...around.map((each) => commonLength(each, text, at)));
  }
}

/** Where something is to be hidden. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Texts that are looked for all at once (Aho and Corasick, "Efficient string matching", 1975): a character costs two
 * steps on average, however many secrets there are and however alike they and the text are.
 */
export class SecretTrie {
  readonly #root = new Node(0);
  #count = 0;
  #isLinked = true;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(secret: string): void {
    let node = this.#root;
    for (let at = 0; at < secret.length && at < LOOKED_FOR; at += 1) {
      const unit = secret.charCodeAt(at);
      const next = node.next.get(unit) ?? new Node(at + 1);
      node.next.set(unit, next);
      node = next;
    }
    node.rests.push(secret.slice(LOOKED_FOR));
    this.#count += 1;
    this.#isLinked = false;
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
    this.#isLinked = false;
    for (let depth = path.length - 1; depth > 0; depth -= 1) {
      const node = path[depth];
      if (node === undefined || node.next.size > 0 || node.rests.length > 0) return;
      path[depth - 1]?.next.delete(secret.charCodeAt(depth - 1));
    }
  }

  /** The text with `mark` in place of each secret, and one for those that overlap. */
  hideIn(text: string, mark: string): string {
    if (!this.#isLinked) this.#link();
    let hidden = "";
    let shown = 0;
    for (const { start, end } of this.#find(text)) {
      hidden += text.slice(shown, start) + mark;
      shown = end;
    }
    return shown === 0 ? text : hidden + text.slice(shown);
  }

  #find(text: string): readonly Span[] {
    const spans: Span[] = [];
    let node = this.#root;
    for (let at = 1; at <= text.length; at += 1) {
      node = this.#step(node, text.charCodeAt(at - 1));
      const { longest } = node;
      if (longest === undefined) continue;
      const end = at + longest.restIn(text, at);
      addSpan(spans, { start: at - longest.depth, end });
      if (end === at) continue;
      at = end;
      node = this.#root;
    }
    return spans;
  }

  #step(from: Node, unit: number): Node {
    let node = from;
    for (;;) {
      const next = node.next.get(unit);
      if (next !== undefined) return next;
      if (node.fallback === undefined) return node;
      node = node.fallback;
    }
  }

  /** Breadth first, since a node's fallback is nearer to the root than the node. */
  #link(): void {
    const nodes: Node[] = [this.#root];
    for (const node of nodes) {
      node.rests.sort();
      node.longest = node.rests.length > 0 ? node : node.fallback?.longest;
      for (const [unit, next] of node.next) {
        next.fallback = node.fallback === undefined ? node : this.#step(node.fallback, unit);
        nodes.push(next);
      }
    }
    this.#isLinked = true;
  }
}

/** Adds a span that ends behind all others, as one with those that it overlaps. */
function addSpan(spans: Span[], { start, end }: Span): void {
  let first = start;
  for (let last = spans.at(-1); last !== undefined && last.end > start; last = spans.at(-1)) {
    first = Math.min(first, last.start);
    spans.pop();
  }
  spans.push({ start: first, end });
}

function commonLength(rest: string, text: string, from: number): number {
  let length = 0;
  while (length < rest.length && rest.charCodeAt(length) === text.charCodeAt(from + length)) {
    length += 1;
  }
  return length;
}
