import * as z from "zod";

/** A contact as the CRM's API sends it. */
export interface CrmContact {
  id: string;
  name: string;
  email: string;
  company: string | null;
  updated_at: string;
}

/** A contact as your application reads it. */
export const Contact = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  company: z.string().nullable(),
  updatedAt: z.string(),
});

export function toContact(contact: CrmContact): z.infer<typeof Contact> {
  return {
    id: contact.id,
    name: contact.name,
    email: contact.email,
    company: contact.company,
    updatedAt: contact.updated_at,
  };
}
