import * as z from "zod";

/** A contact as HubSpot sends it: all requested fields are in `properties`. */
export interface HubspotContact {
  id: string;
  properties: {
    firstname: string | null;
    lastname: string | null;
    email: string | null;
    lastmodifieddate: string;
  };
  archived: boolean;
}

export const contactProperties = "firstname,lastname,email,lastmodifieddate";

export const Contact = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  updatedAt: z.iso.datetime(),
});

export function toContact({ id, properties }: HubspotContact): z.infer<typeof Contact> {
  const { firstname, lastname, email, lastmodifieddate } = properties;
  const name = [firstname, lastname].filter((part) => part !== null && part !== "").join(" ");
  return { id, name, email, updatedAt: lastmodifieddate };
}
