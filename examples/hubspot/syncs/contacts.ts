import { createSync } from "jackfield";
import { Contact, contactProperties, type HubspotContact, toContact } from "../contact.js";

/** Pages with a cursor: each answer names the next one in `paging.next.after`. */
export default createSync({
  description: "Copies all contacts.",
  frequency: "every hour",
  autoStart: true,
  models: { Contact },
  scopes: ["crm.objects.contacts.read"],

  exec: async (svc) => {
    const pages = svc.paginate<HubspotContact>({
      endpoint: "/crm/v3/objects/contacts",
      params: { properties: contactProperties },
      retries: 5,
      paginate: {
        type: "cursor",
        limit: 100,
        limit_name_in_request: "limit",
        cursor_name_in_request: "after",
        cursor_path_in_response: "paging.next.after",
        response_path: "results",
      },
    });

    for await (const contacts of pages) {
      await svc.batchSave(contacts.map(toContact), "Contact");
    }
  },
});
