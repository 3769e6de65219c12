import { createAction } from "jackfield";
import * as z from "zod";
import { contact, type HubspotContact, toContact } from "../contact.ts";

export default createAction({
  description: "Creates a contact in the CRM",
  input: z.object({ firstName: z.string().min(1), lastName: z.string(), email: z.email() }),
  output: contact,
  exec: async (svc, { firstName, lastName, email }) => {
    const response = await svc.post<HubspotContact>({
      endpoint: "/crm/v3/objects/contacts",
      data: { properties: { firstname: firstName, lastname: lastName, email } },
    });
    await svc.log("contact created", { id: response.data.id });
    return toContact(response.data);
  },
});
