import { createAction } from "jackfield";
import * as z from "zod";
import { contact } from "../contact.ts";

export default createAction({
  description: "Creates a contact in the CRM",
  input: z.object({ name: z.string().min(1), email: z.email(), company: z.string() }),
  output: contact,
  exec: async (svc, input) => {
    const response = await svc.post<z.infer<typeof contact>>({
      endpoint: "/api/contacts",
      data: input,
    });
    await svc.log("contact created", { id: response.data.id });
    return response.data;
  },
});
