import { RE2JS } from "re2js";

/**
 * Whether the whole text fits a field's pattern. RE2's syntax and its time, which grows with the text only:
 * patterns of custom providers come from customers.
 */
export function fitsPattern(pattern: string, text: string): boolean {
  return RE2JS.compile(pattern).matches(text);
}

/** What RE2 says against a pattern; undefined where it is one. */
export function findPatternFault(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
