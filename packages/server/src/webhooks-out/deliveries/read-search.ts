import type { DeliveryFilter } from "./delivery-row.ts";

const ID = /^(?:msg_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** What a search looks for: an id of a delivery, as `id` or `webhook_id`, names one; any other text is looked for. */
export function readSearch(search: string | undefined): Pick<DeliveryFilter, "id" | "text"> {
  if (search === undefined) return {};
  const id = ID.exec(search.trim())?.[1];
  return id === undefined ? { text: search } : { id: id.toLowerCase() };
}
