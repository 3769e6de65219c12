import { createSync } from "jackfield";
import { contact, type HubspotContact, toContact } from "../contact.ts";

export default createSync({
  description: "Contacts of the CRM; its webhooks bring what changes between two runs",
  frequency: "every 5 minutes",
  autoStart: true,
  models: { Contact: contact },
  webhookSubscriptions: ["contact.creation", "contact.propertyChange"],
  exec: async (svc) => {
    for await (const page of svc.paginate<HubspotContact>({
      endpoint: "/crm/v3/objects/contacts",
      params: { properties: "firstname,lastname,email,company" },
      paginate: {
        type: "cursor",
        cursor_name_in_request: "after",
        cursor_path_in_response: "paging.next.after",
        limit_name_in_request: "limit",
        limit: 100,
        response_path: "results",
      },
      retries: 3,
    })) {
      await svc.batchSave(page.map(toContact), "Contact");
    }
  },
  onWebhook: async (svc, event: { objectId: number }) => {
    const { data } = await svc.get<HubspotContact>({
      endpoint: `/crm/v3/objects/contacts/${event.objectId}`,
      retries: 3,
    });
    await svc.batchSave([toContact(data)], "Contact");
  },
});
