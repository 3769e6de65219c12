/** Letters and colour that stand for a service without a logo; the same for the same name. */
export interface Monogram {
  readonly letters: string;
  /** From 0 to 7; the style sheet has a colour for each. */
  readonly hue: number;
}

const HUES = 8;

export function toMonogram(name: string): Monogram {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? ["?"];
  const [first = "?", second] = words;
  const letters = second === undefined ? first.slice(0, 2) : first.charAt(0) + second.charAt(0);
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return { letters: letters.toUpperCase(), hue: hash % HUES };
}
