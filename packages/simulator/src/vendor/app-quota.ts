import { type Reply, replyJson } from "./exchange/write-answer.ts";
import type { VendorState } from "./vendor-state.ts";

/** A call's place in the quota, or the refusal of a call that finds none; undefined without a quota. */
export function takeFromQuota(
  state: VendorState,
): { readonly headers: Reply["headers"]; readonly refusal: Reply | undefined } | undefined {
  const { app_quota: limit, app_quota_s: seconds } = state.faults;
  if (limit === undefined) return undefined;
  const now = Date.now();
  const known = state.quotaWindow;
  const window =
    known === undefined || known.endsAt <= now ? { endsAt: now + seconds * 1000, calls: 0 } : known;
  state.quotaWindow = window;
  const isOver = window.calls >= limit;
  if (isOver) state.overQuota += 1;
  else window.calls += 1;
  const resetS = Math.max(0.001, (window.endsAt - now) / 1000).toFixed(3);
  const headers = {
    "x-app-rate-limit-limit": String(limit),
    "x-app-rate-limit-remaining": String(limit - window.calls),
    "x-app-rate-limit-reset": resetS,
  };
  const body = { error: "rate_limited", message: "The quota of the app is used up." };
  const refused = { ...headers, "retry-after": resetS };
  return { headers, refusal: isOver ? replyJson(body, 429, refused) : undefined };
}
