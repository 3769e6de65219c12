import { TAPE_HIDDEN } from "@jackfield/contract";
import { Secret } from "#foundation";
import { base64Forms } from "#foundation/words";
import { SecretTrie } from "../run/secret-trie.ts";

/** Shorter ones stand in ordinary words. */
const SHORTEST = 6;
const MOST = 5000;
const MAX_DEPTH = 8;
/** Fields among credentials that tell nobody anything. */
const plainFields: ReadonlySet<string> = new Set([
  ...["type", "expires_at", "expires_in", "expiresAt", "token_type", "scope", "scopes"],
  ...["username", "client_id", "app_id", "app_link", "region", "service", "role_arn", "host"],
]);

/** Texts that must not be on a tape, in each form in which a request may have them. */
export class TapeSecrets {
  readonly #known = new Set<string>();
  readonly #plain = new SecretTrie();
  /** Forms that depend on what is next to the secret. */
  readonly #encoded = new SecretTrie();

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  add(secret: string): void {
    if (secret.length < SHORTEST || secret === TAPE_HIDDEN) return;
    if (this.#known.has(secret) || this.#known.size >= MOST) return;
    this.#known.add(secret);
    const bytes = Buffer.from(secret);
    const json = JSON.stringify(secret).slice(1, -1);
    const forms = [secret, encodeURIComponent(secret), json, JSON.stringify(json).slice(1, -1)];
    const hex = bytes.toString("hex");
    for (const form of new Set([...forms, hex, hex.toUpperCase()])) this.#plain.add(form);
    for (const form of base64Forms(secret)) this.#encoded.add(form);
  }

  /** All texts of credentials. */
  addAll(value: unknown, depth = 0): void {
    if (depth > MAX_DEPTH) return;
    const shown: unknown = value instanceof Secret ? value.reveal() : value;
    if (typeof shown === "string") {
      this.add(shown);
      return;
    }
    if (typeof shown !== "object" || shown === null) return;
    for (const [name, each] of Object.entries(shown)) {
      if (!plainFields.has(name)) this.addAll(each, depth + 1);
    }
  }

  /** The value with every text in it that holds a secret rewritten. */
  hide(value: unknown): unknown {
    if (this.isEmpty) return value;
    if (typeof value === "string") return this.hideInText(value);
    if (Array.isArray(value)) return value.map((each) => this.hide(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [this.hideInText(name), this.hide(each)]),
    );
  }

  hideInText(text: string): string {
    if (this.isEmpty) return text;
    const shown = this.#plain.hideIn(text, TAPE_HIDDEN);
    return this.#encoded.isEmpty ? shown : widen(this.#encoded.hideIn(shown, ENCODED));
  }
}

/** In place of a part of base64 until all around it is hidden, too: its ends are made of more than the secret. */
const ENCODED = "\u{E000}";
const BASE64 = /[\w+/=-]/;

function widen(text: string): string {
  if (!text.includes(ENCODED)) return text;
  const parts = text.split(ENCODED);
  const shown = parts.map((part, at) => {
    let [start, end] = [0, part.length];
    if (at > 0) while (start < end && BASE64.test(part[start] ?? "")) start += 1;
    if (at < parts.length - 1) while (end > start && BASE64.test(part[end - 1] ?? "")) end -= 1;
    return part.slice(start, end);
  });
  return shown.join(TAPE_HIDDEN);
}
