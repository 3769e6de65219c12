/** A text as a literal in double quotes. */
export function toLiteral(text: string): string {
  return JSON.stringify(text);
}

/** A name as the key of an object literal. */
export function toKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : toLiteral(name);
}

/** A field of a value: `input.owner`, `input["x-y"]`. */
export function toMember(value: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${value}.${name}` : `${value}[${toLiteral(name)}]`;
}

export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}
