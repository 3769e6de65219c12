import { createAction } from "jackfield";
import * as z from "zod";
import { Contact, type CrmContact, toContact } from "../contact.js";

export default createAction({
  description: "Creates a contact in the CRM and returns it.",
  input: z.object({
    name: z.string().min(1),
    email: z.email(),
    company: z.string().optional(),
  }),
  output: Contact,

  exec: async (svc, input) => {
    const response = await svc.post<CrmContact>({ endpoint: "/contacts", data: input });
    await svc.log("Created a contact", { id: response.data.id });

    return toContact(response.data);
  },
});
