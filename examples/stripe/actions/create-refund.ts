import { createAction } from "jackfield";
import * as z from "zod";

/** A form-encoded body: the object is written as a form because of its content type. */
export default createAction({
  description: "Refunds a charge, in whole or in part.",
  input: z.object({
    charge: z.string().startsWith("ch_"),
    /** In the currency's smallest unit; without it the whole charge. */
    amount: z.number().int().positive().optional(),
    reason: z.enum(["duplicate", "fraudulent", "requested_by_customer"]).optional(),
  }),
  output: z.object({ id: z.string(), amount: z.number().int(), status: z.string() }),

  exec: async (svc, input) => {
    const { data } = await svc.post<{ id: string; amount: number; status: string }>({
      endpoint: "/v1/refunds",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        // The same refund twice is one refund.
        "idempotency-key": `refund-${input.charge}-${input.amount ?? "all"}`,
      },
      data: { ...input, "metadata[source]": "jackfield" },
      retries: 3,
    });
    return { id: data.id, amount: data.amount, status: data.status };
  },
});
