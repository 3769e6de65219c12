import { createSync } from "jackfield";
import * as z from "zod";

interface HubspotDeal {
  id: string;
  properties: { dealname: string; amount: string | null; dealstage: string; pipeline: string };
}

const Deal = z.object({
  id: z.string(),
  name: z.string(),
  amount: z.number().nullable(),
  stage: z.string(),
  pipeline: z.string(),
});

/** A list in the body of a POST, and a variant for each pipeline that a customer wants apart from the others. */
export default createSync({
  description:
    "Copies the deals of the default pipeline, or of the pipeline that the variant names.",
  frequency: "every 30 minutes",
  models: { Deal },
  metadata: z.object({ closedStages: z.array(z.string()).optional() }),

  exec: async (svc) => {
    const metadata = await svc.getMetadata();
    const pipeline = svc.variant === "base" ? "default" : svc.variant;
    const closed = new Set(metadata?.closedStages ?? []);
    const pages = svc.paginate<HubspotDeal>({
      endpoint: "/crm/v3/objects/deals/search",
      method: "POST",
      data: {
        filterGroups: [
          { filters: [{ propertyName: "pipeline", operator: "EQ", value: pipeline }] },
        ],
        properties: ["dealname", "amount", "dealstage", "pipeline"],
      },
      retries: 5,
      paginate: {
        type: "cursor",
        limit: 2,
        limit_name_in_request: "limit",
        cursor_name_in_request: "after",
        cursor_path_in_response: "paging.next.after",
        response_path: "results",
      },
    });

    for await (const deals of pages) {
      const open = deals.filter(({ properties }) => !closed.has(properties.dealstage));
      await svc.batchSave(open.map(toDeal), "Deal");
    }
  },
});

function toDeal({ id, properties }: HubspotDeal): z.infer<typeof Deal> {
  const { dealname, amount, dealstage, pipeline } = properties;
  return {
    id,
    name: dealname,
    amount: amount === null ? null : Number(amount),
    stage: dealstage,
    pipeline,
  };
}
