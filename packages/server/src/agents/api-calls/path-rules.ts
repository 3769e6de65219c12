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

interface PlainRequest {
  readonly method: string;
  readonly parts: readonly string[];
}

/** Which rule decides about a request, and by which of its paths. */
export interface DecidingRule {
  readonly list: "allow" | "deny";
  readonly rule: number;
  readonly path: string;
}

/** Whether the rules allow a request; what nothing allows is denied, and so is what anything denies. */
export function allowsRequest(
  selection: Pick<ApiSelection, "allow" | "deny">,
  request: PlainRequest,
): boolean {
  return findDecidingRule(selection, request)?.list === "allow";
}

/** Undefined where no rule of `allow` is about the request. */
export function findDecidingRule(
  { allow, deny = [] }: Pick<ApiSelection, "allow" | "deny">,
  { method, parts }: PlainRequest,
): DecidingRule | undefined {
  const allowing = findRule(allow, method, (path) => fits(path, parts));
  if (allowing === undefined) return undefined;
  // Some servers do not tell upper case from lower case.
  const lower = parts.map((part) => part.toLowerCase());
  const denying = findRule(deny, method, (path) => fits(path.toLowerCase(), lower));
  if (denying !== undefined) return { list: "deny", ...denying };
  return { list: "allow", ...allowing };
}

function findRule(
  rules: readonly ApiRule[],
  method: string,
  isFit: (path: string) => boolean,
): Pick<DecidingRule, "rule" | "path"> | undefined {
  for (const [rule, { methods, paths }] of rules.entries()) {
    if (!methods.some((each) => each === method)) continue;
    const path = paths.find(isFit);
    if (path !== undefined) return { rule, path };
  }
  return undefined;
}

function fits(pattern: string, parts: readonly string[]): boolean {
  const wanted = pattern === "/" ? [] : pattern.replace(/\/$/, "").slice(1).split("/");
  const isOpen = wanted.at(-1) === "**";
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  if (isOpen ? parts.length < fixed.length : parts.length !== fixed.length) return false;
  return fixed.every((part, index) => matchesSegment(part, parts[index] ?? ""));
}
