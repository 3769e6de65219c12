import { AGEING_MS, HELD_AT_LEAST } from "./priority.ts";

/** `priorityOf` as SQL; each part is an expression, `since` and `now` of type timestamptz. */
export function priorityText(of: {
  readonly held: string;
  readonly nth: string;
  readonly since: string;
  readonly now: string;
}): string {
  const waited = `extract(epoch from (${of.now}) - (${of.since})) / ${AGEING_MS / 1000}`;
  return `((${of.nth}) + greatest((${of.held}) - ${waited}, least((${of.held}), ${HELD_AT_LEAST})))`;
}
