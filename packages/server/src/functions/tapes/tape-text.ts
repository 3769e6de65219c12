import { TAPE_HIDDEN } from "@jackfield/contract";
import { isSecretName } from "@jackfield/contract/secret-names";
import { redactSecrets } from "#logs";

/** Names whose values are made of credentials: nobody can make them again. */
const derived = /(?:signature|hmac|digest)$/i;
/** Next to the names of single values: what holds several. */
const group = /^(?:credentials|assertion)$/i;
const pair = /([?&;]|^)([^=&?;\s<>"]{1,200})=([^&\s<>"]+)/g;

/** Hears of each value under the name of a credential. */
export type OnSecret = (value: string) => void;

export function isHiddenName(name: string): boolean {
  return isSecretName(name) || derived.test(name);
}

/** A value of JSON without what is named like a credential, or looks like one. */
export function hideNamed(value: unknown, onSecret: OnSecret): unknown {
  if (typeof value === "string") return hideInText(value, onSecret);
  if (Array.isArray(value)) return hideInList(value, onSecret);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      if (group.test(name)) return [name, hideAll(each, onSecret)];
      return [name, isHiddenName(name) ? hideUnder(each, onSecret) : hideNamed(each, onSecret)];
    }),
  );
}

/** Queries and headers are lists of pairs. */
function hideInList(list: readonly unknown[], onSecret: OnSecret): unknown[] {
  const [name, value, ...rest] = list;
  if (rest.length === 0 && typeof name === "string" && typeof value === "string") {
    if (isHiddenName(name)) return [name, hideUnder(value, onSecret)];
  }
  return list.map((each) => hideNamed(each, onSecret));
}

/** What a name of a credential stands for: a text, or several. */
function hideUnder(value: unknown, onSecret: OnSecret): unknown {
  if (typeof value === "string") return hideWhole(value, onSecret);
  if (Array.isArray(value)) return value.map((each) => hideUnder(each, onSecret));
  return hideNamed(value, onSecret);
}

/** Of credentials only the type and times stay, which functions look at. */
function hideAll(value: unknown, onSecret: OnSecret, name = ""): unknown {
  if (typeof value === "string") {
    return name === "type" || name.endsWith("_at") ? value : hideWhole(value, onSecret);
  }
  if (Array.isArray(value)) return value.map((each) => hideAll(each, onSecret));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, hideAll(each, onSecret, key)]),
  );
}

function hideWhole(value: string, onSecret: OnSecret): string {
  if (value === "") return value;
  // `Bearer` and its like are no secret, and stand in front of one.
  const word = /^(?:Bearer|Basic|Digest|Token)\s+(\S.*)$/i.exec(value)?.[1];
  onSecret(word ?? value);
  return TAPE_HIDDEN;
}

/** Words without what is named like a credential within them: in JSON, forms and addresses. */
export function hideInText(text: string, onSecret: OnSecret): string {
  let shown = text;
  if (shown.includes('"')) shown = hideMembers(shown, onSecret);
  if (shown.includes("=")) {
    shown = shown.replace(pair, (whole, before: string, name: string, value: string) => {
      if (!isHiddenName(name)) return whole;
      onSecret(decode(value));
      return `${before}${name}=${TAPE_HIDDEN}`;
    });
  }
  return redactSecrets(shown);
}

/** The values of members of JSON with the name of a credential; read character by character, so once each. */
function hideMembers(text: string, onSecret: OnSecret): string {
  let shown = "";
  let from = 0;
  let at = text.indexOf('"');
  while (at !== -1) {
    const end = endOfText(text, at);
    if (end === -1) break;
    const value = startOfValue(text, end + 1);
    const valueEnd = value === -1 ? -1 : endOfText(text, value);
    const name = text.slice(at + 1, end);
    const isName = name.length <= LONGEST_NAME && (isHiddenName(name) || group.test(name));
    if (valueEnd === -1 || valueEnd === value + 1 || !isName) {
      at = text.indexOf('"', end + 1);
      continue;
    }
    onSecret(readText(text.slice(value + 1, valueEnd)));
    shown += `${text.slice(from, value + 1)}${TAPE_HIDDEN}`;
    from = valueEnd;
    at = text.indexOf('"', valueEnd + 1);
  }
  return shown + text.slice(from);
}

/** Where the text ends that begins with the quotation mark at a place. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

const MOST_SPACES = 20;
const LONGEST_NAME = 200;

/** Where the text begins that is the value of the name before; -1 where none is. */
function startOfValue(text: string, from: number): number {
  const colon = skipSpaces(text, from);
  if (text[colon] !== ":") return -1;
  const value = skipSpaces(text, colon + 1);
  return text[value] === '"' ? value : -1;
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at < from + MOST_SPACES && /\s/.test(text[at] ?? "")) at += 1;
  return at;
}

function readText(value: string): string {
  try {
    return String(JSON.parse(`"${value}"`));
  } catch {
    return value;
  }
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
