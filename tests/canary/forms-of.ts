import { createHash } from "node:crypto";

/** Every form in which a secret could stand in a text without being readable at a glance. */
export function formsOf(secret: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(secret);
  const forms = new Map<string, string>([
    ["plain", secret],
    ["hex", bytes.toString("hex")],
    ["upper-case hex", bytes.toString("hex").toUpperCase()],
    ["percent-encoded", encodeURIComponent(secret)],
    ["JSON", JSON.stringify(secret).slice(1, -1)],
    ["reversed", [...secret].toReversed().join("")],
  ]);
  for (const offset of [0, 1, 2]) {
    forms.set(`base64 at ${offset}`, base64Inside(bytes, offset, "base64"));
    forms.set(`base64url at ${offset}`, base64Inside(bytes, offset, "base64url"));
  }
  for (const algorithm of ["md5", "sha1", "sha256"]) {
    forms.set(algorithm, createHash(algorithm).update(bytes).digest("hex").slice(0, 16));
  }
  return forms;
}

/** The part of the encoding that depends on the secret alone, when `offset` bytes stand before it. */
function base64Inside(bytes: Buffer, offset: number, encoding: "base64" | "base64url"): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString(encoding)
    .replace(/=+$/, "");
  const before = [0, 2, 3][offset] ?? 0;
  const after = (offset + bytes.length) % 3 === 0 ? 0 : 1;
  return text.slice(before, text.length - after);
}

export interface Finding {
  readonly surface: string;
  readonly secret: string;
  readonly form: string;
  /** What stands around it. */
  readonly near: string;
}

/** Positions of the secrets in the text, in any form. */
export function findSecrets(
  surface: string,
  text: string,
  secrets: ReadonlyMap<string, string>,
): Finding[] {
  return [...secrets].flatMap(([secret, value]) =>
    [...formsOf(value)].flatMap(([form, written]) => {
      const at = text.indexOf(written);
      if (at < 0) return [];
      return [{ surface, secret, form, near: text.slice(Math.max(0, at - 80), at + 40) }];
    }),
  );
}
