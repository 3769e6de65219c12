import { createSync } from "jackfield";
import { Contact, type CrmContact, toContact } from "../contact.js";

// The folder name `crm` is the integration's id on the server; the file's name is the sync's.
export default createSync({
  description: "Copies all contacts of the CRM.",
  frequency: "every hour",
  autoStart: true,
  models: { Contact },
  // A contact that does not match the schema is listed by `jackfield records quarantine` and not saved.
  onInvalidRecord: "quarantine",

  exec: async (svc) => {
    const pages = svc.paginate<CrmContact>({
      endpoint: "/contacts",
      retries: 3,
      paginate: {
        type: "cursor",
        limit: 100,
        limit_name_in_request: "limit",
        cursor_name_in_request: "cursor",
        cursor_path_in_response: "next_cursor",
        response_path: "contacts",
      },
    });

    for await (const contacts of pages) {
      await svc.batchSave(contacts.map(toContact), "Contact");
    }
  },
});
