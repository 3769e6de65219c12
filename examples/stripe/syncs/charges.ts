import { createSync } from "jackfield";
import * as z from "zod";

interface StripeCharge {
  id: string;
  amount: number;
  currency: string;
  status: string;
  refunded: boolean;
  created: number;
}

interface StripeList {
  data: StripeCharge[];
  has_more: boolean;
}

const Charge = z.object({
  id: z.string(),
  /** In the currency's smallest unit. */
  amount: z.number().int(),
  currency: z.string(),
  status: z.string(),
  isRefunded: z.boolean(),
  createdAt: z.iso.datetime(),
});

/** A list whose cursor is the last item's id; Stripe answers 429 when it is asked too fast, which is tried again. */
export default createSync({
  description: "Copies charges, newest first, until those that the last run has seen.",
  frequency: "every 5 minutes",
  autoStart: true,
  models: { Charge },

  exec: async (svc) => {
    const since = svc.lastSyncDate;
    let after: string | undefined;
    let hasMore = true;
    while (hasMore) {
      const { data } = await svc.get<StripeList>({
        endpoint: "/v1/charges",
        params: {
          limit: 3,
          starting_after: after,
          "created[gte]": since === undefined ? undefined : Math.floor(since.getTime() / 1000),
        },
        retries: 5,
        retryOn: [429],
      });
      await svc.batchSave(data.data.map(toCharge), "Charge");
      after = data.data.at(-1)?.id;
      hasMore = data.has_more && after !== undefined;
    }
  },
});

function toCharge(charge: StripeCharge): z.infer<typeof Charge> {
  return {
    id: charge.id,
    amount: charge.amount,
    currency: charge.currency,
    status: charge.status,
    isRefunded: charge.refunded,
    createdAt: new Date(charge.created * 1000).toISOString(),
  };
}
