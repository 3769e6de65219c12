import { matchesSegment } from "#functions";
import type { ApiRule, ApiSelection } from "../toolsets/toolset.ts";

/**
 * The parts of a path that servers read in one way only; undefined for others. An encoded slash, a backslash, dots, a
 * `;` and what is encoded twice are something else to one server than to another, and with it to a rule.
 */
export function toParts(path: string): readonly string[] | undefined {
  if (!/^\/[\x21-\x7e]*$/.test(path)) return undefined;
  const parts: string[] = [];
  const given = path.slice(1).split("/");
  for (const [index, part] of given.entries()) {
    const isLast = index === given.length - 1;
    if (part === "" && isLast) continue;
    const decoded = decode(part);
    if (decoded === undefined || /^\.{0,2}$/.test(decoded)) return undefined;
    if (/[/\\%;?#\p{Cc}]/u.test(decoded)) return undefined;
    parts.push(decoded);
  }
  return parts;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Whether the rules allow a request; what nothing allows is denied, and so is what anything denies. */
export function allowsRequest(
  { allow, deny = [] }: Pick<ApiSelection, "allow" | "deny">,
  { method, parts }: { readonly method: string; readonly parts: readonly string[] },
): boolean {
  const isOf = ({ methods }: ApiRule) => methods.some((each) => each === method);
  const isAllowed = allow.some(
    (rule) => isOf(rule) && rule.paths.some((each) => fits(each, parts)),
  );
  if (!isAllowed) return false;
  // Some servers do not tell upper case from lower case.
  const lower = parts.map((part) => part.toLowerCase());
  return !deny.some(
    (rule) => isOf(rule) && rule.paths.some((each) => fits(each.toLowerCase(), lower)),
  );
}

function fits(pattern: string, parts: readonly string[]): boolean {
  const wanted = pattern === "/" ? [] : pattern.replace(/\/$/, "").slice(1).split("/");
  const isOpen = wanted.at(-1) === "**";
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  if (isOpen ? parts.length < fixed.length : parts.length !== fixed.length) return false;
  return fixed.every((part, index) => matchesSegment(part, parts[index] ?? ""));
}
