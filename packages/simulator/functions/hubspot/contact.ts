import * as z from "zod";

export interface HubspotContact {
  id: string;
  properties: Record<"firstname" | "lastname" | "email" | "company", string | null>;
  updatedAt: string;
}

/** A contact as HubSpot's API gives it, cut down to what the product needs. */
export const contact = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  company: z.string().nullable(),
  updatedAt: z.string(),
});

export function toContact({ id, properties, updatedAt }: HubspotContact): z.infer<typeof contact> {
  const { firstname, lastname, email, company } = properties;
  const name = [firstname, lastname].filter((part) => part !== null).join(" ");
  return { id, name, email, company, updatedAt };
}
