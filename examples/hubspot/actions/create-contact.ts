import { createAction } from "jackfield";
import * as z from "zod";
import { Contact, type HubspotContact, toContact } from "../contact.js";

/** A failure that callers can handle: the existing contact's id instead of HubSpot's own error. */
export default createAction({
  description: "Creates a contact.",
  input: z.object({
    email: z.email(),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
  }),
  output: Contact,
  scopes: ["crm.objects.contacts.write"],

  exec: async (svc, input) => {
    const properties = {
      email: input.email,
      firstname: input.firstName,
      lastname: input.lastName,
    };
    try {
      const { data } = await svc.post<HubspotContact>({
        endpoint: "/crm/v3/objects/contacts",
        data: { properties },
      });
      return toContact(data);
    } catch (error) {
      const existing = readExistingId(error);
      if (existing === undefined) throw error;
      throw new svc.ActionError({ message: `${input.email} is a contact already`, id: existing });
    }
  },
});

const conflict = z.object({
  response: z.object({ status: z.literal(409), data: z.object({ message: z.string() }) }),
});

function readExistingId(error: unknown): string | undefined {
  const parsed = conflict.safeParse(error);
  return /Existing ID: (\d+)/.exec(parsed.data?.response.data.message ?? "")?.[1];
}
