import { defineHook } from "#foundation";

export interface QuotaWaiting {
  /** The run of a function that called. */
  readonly runId: string;
  /** When the provider takes calls again, as far as it said. */
  readonly until: Date;
}

/** A call of a run is held back for seconds or longer, since the provider's quota is used up. */
export const quotaWaiting = defineHook<QuotaWaiting>("proxy.quotaWaiting");
