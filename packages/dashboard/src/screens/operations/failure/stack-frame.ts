/** A line of a stack that is in a function's own file. */
export interface StackFrame {
  readonly before: string;
  /** `crm/syncs/contacts.ts:12:5` */
  readonly place: string;
  readonly after: string;
  readonly line: number;
}

const MOST_CHARACTERS = 2000;

/** The part of a line that names a place in the file of a function; undefined for places elsewhere. */
export function frameOf(text: string, functionName: string): StackFrame | undefined {
  if (text.length > MOST_CHARACTERS || !/^\s*at /.test(text)) return undefined;
  const [, position] = /((?::\d{1,7}){1,2})\)?$/.exec(text) ?? [];
  if (position === undefined) return undefined;
  const end = text.lastIndexOf(position) + position.length;
  const start = Math.max(text.lastIndexOf(" ", end), text.lastIndexOf("(", end)) + 1;
  const place = text.slice(start, end);
  const file = place.slice(0, place.length - position.length);
  const base = file.slice(file.lastIndexOf("/") + 1);
  if (base !== `${functionName}.ts`) return undefined;
  const line = Number(position.split(":")[1]);
  return { before: text.slice(0, start), place, after: text.slice(end), line };
}
