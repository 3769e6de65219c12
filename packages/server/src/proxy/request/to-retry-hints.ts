import type { ProviderCall } from "../call.ts";

/** Header names as the caller gives them. */
interface GivenNames {
  readonly at?: string | undefined;
  readonly after?: string | undefined;
  readonly remaining?: string | undefined;
}

/** Headers that replace what the provider's entry names for waits before a retry. */
export function toRetryHints({
  at,
  after,
  remaining,
}: GivenNames): NonNullable<ProviderCall["retryHeader"]> {
  return {
    ...(at === undefined ? {} : { at_header: at.toLowerCase() }),
    ...(after === undefined ? {} : { after_header: after.toLowerCase() }),
    ...(remaining === undefined ? {} : { remaining_header: remaining.toLowerCase() }),
  };
}
