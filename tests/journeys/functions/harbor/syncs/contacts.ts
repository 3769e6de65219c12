import { createSync } from "jackfield";
import * as z from "zod";
import { contact } from "../contact.ts";

export default createSync({
  description: "Contacts of the CRM, those changed since the last run",
  frequency: "every 5 minutes",
  autoStart: true,
  models: { Contact: contact },
  checkpoint: z.object({ changed_since: z.string() }),
  exec: async (svc) => {
    const checkpoint = await svc.getCheckpoint();
    const since = checkpoint?.changed_since;
    let newest = since ?? "";
    for await (const page of svc.paginate<z.infer<typeof contact>>({
      endpoint: "/api/contacts",
      params: { updated_since: since },
      paginate: {
        type: "cursor",
        cursor_name_in_request: "cursor",
        cursor_path_in_response: "next_cursor",
        limit_name_in_request: "limit",
        limit: 200,
        response_path: "contacts",
      },
      retries: 3,
    })) {
      await svc.batchSave(
        page.map(({ id, name, email, company, updated_at }) => ({
          id,
          name,
          email,
          company,
          updated_at,
        })),
        "Contact",
      );
      for (const { updated_at } of page) if (updated_at > newest) newest = updated_at;
    }
    if (newest !== "") await svc.saveCheckpoint({ changed_since: newest });
  },
});
