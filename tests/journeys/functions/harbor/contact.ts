import * as z from "zod";

/** A contact as Harbor CRM's API gives it, cut down to what the product needs. */
export const contact = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  company: z.string(),
  updated_at: z.string(),
});
