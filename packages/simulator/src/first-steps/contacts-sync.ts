/** A sync in one file, as somebody who begins may read, change and deploy it. */
export const contactsSync = `import { createSync } from "jackfield";
import * as z from "zod";

interface HubspotContact {
  id: string;
  properties: { firstname: string | null; lastname: string | null; email: string | null };
}

const contact = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
});

export default createSync({
  description: "Contacts of the CRM",
  version: "1.0.0",
  frequency: "every hour",
  autoStart: true,
  models: { Contact: contact },
  exec: async (svc) => {
    const pages = svc.paginate<HubspotContact>({
      endpoint: "/crm/v3/objects/contacts",
      params: { properties: "firstname,lastname,email" },
      paginate: {
        type: "cursor",
        cursor_name_in_request: "after",
        cursor_path_in_response: "paging.next.after",
        limit_name_in_request: "limit",
        limit: 100,
        response_path: "results",
      },
      retries: 5,
    });
    for await (const page of pages) {
      const contacts = page.map(({ id, properties: { firstname, lastname, email } }) => ({
        id,
        name: [firstname, lastname].filter((part) => part !== null).join(" "),
        email,
      }));
      await svc.batchSave(contacts, "Contact");
    }
  },
});
`;
