import { createSync } from "jackfield";
import * as z from "zod";

interface XeroInvoice {
  InvoiceID: string;
  InvoiceNumber: string;
  Type: "ACCREC" | "ACCPAY";
  Status: string;
  Total: number;
  CurrencyCode: string;
  DueDateString: string | null;
  UpdatedDateUTC: string;
}

const Invoice = z.object({
  id: z.string(),
  number: z.string(),
  isBill: z.boolean(),
  status: z.string(),
  total: z.number(),
  currency: z.string().length(3),
  dueOn: z.string().nullable(),
});

/** Numbered pages, and a checkpoint after each: a run that is cut short continues where it was. */
export default createSync({
  description: "Copies invoices and bills that changed since the last run.",
  frequency: "every 6 hours",
  models: { Invoice },
  checkpoint: z.object({ page: z.number(), since: z.string(), newest: z.string() }),

  exec: async (svc) => {
    const checkpoint = (await svc.getCheckpoint()) ?? { page: 1, since: "", newest: "" };
    let { page, newest } = checkpoint;
    const { since } = checkpoint;
    const pages = svc.paginate<XeroInvoice>({
      endpoint: "/api.xro/2.0/Invoices",
      params: { order: "UpdatedDateUTC ASC" },
      headers: since === "" ? {} : { "if-modified-since": since },
      retries: 5,
      paginate: {
        type: "offset",
        offset_name_in_request: "page",
        offset_start_value: page,
        offset_calculation_method: "per-page",
        limit: 4,
        limit_name_in_request: "pageSize",
        response_path: "Invoices",
      },
    });

    for await (const invoices of pages) {
      await svc.batchSave(invoices.map(toInvoice), "Invoice");
      page += 1;
      newest = invoices.at(-1)?.UpdatedDateUTC ?? newest;
      await svc.saveCheckpoint({ page, since, newest });
    }
    // The next run begins with the first page of what changes from now on.
    await svc.saveCheckpoint({ page: 1, since: newest === "" ? since : newest, newest: "" });
  },
});

function toInvoice(invoice: XeroInvoice): z.infer<typeof Invoice> {
  return {
    id: invoice.InvoiceID,
    number: invoice.InvoiceNumber,
    isBill: invoice.Type === "ACCPAY",
    status: invoice.Status,
    total: invoice.Total,
    currency: invoice.CurrencyCode,
    dueOn: invoice.DueDateString,
  };
}
