import type { VendorAnswer, VendorApi, VendorCall } from "jackfield/test";

const charges = Array.from({ length: 8 }, (_, index) => ({
  id: `ch_${String(900 - index)}`,
  object: "charge",
  amount: 1500 + index * 250,
  currency: index % 3 === 0 ? "eur" : "usd",
  status: index === 4 ? "failed" : "succeeded",
  refunded: index === 6,
  created: 1_767_312_000 - index * 86_400,
}));

/** Charges and refunds, in the form of Stripe's API; each second list call comes too soon. */
export function createStripe(): VendorApi {
  let listed = 0;
  return (call) => {
    if (call.path === "/v1/refunds" && call.method === "POST") return refund(call);
    if (call.path !== "/v1/charges") return undefined;
    listed += 1;
    if (listed % 2 === 0) {
      const error = {
        type: "invalid_request_error",
        code: "rate_limit",
        message: "Too many requests",
      };
      return { status: 429, headers: { "retry-after": "1" }, body: { error } };
    }
    return { body: listCharges(call.query) };
  };
}

/** For `jackfield simulate stripe --api fakes/stripe.ts`. */
export default createStripe();

function listCharges(query: URLSearchParams) {
  const since = Number(query.get("created[gte]") ?? 0);
  const after = query.get("starting_after");
  const found = charges.filter(({ created }) => created >= since);
  const start = after === null ? 0 : found.findIndex(({ id }) => id === after) + 1;
  const end = start + Number(query.get("limit") ?? 10);
  return {
    object: "list",
    data: found.slice(start, end),
    has_more: end < found.length,
    url: "/v1/charges",
  };
}

function refund({ headers, body }: VendorCall): VendorAnswer {
  if (headers["content-type"] !== "application/x-www-form-urlencoded") {
    return { status: 400, body: { error: { message: "Send a form, not JSON." } } };
  }
  const form = new URLSearchParams(body);
  const charge = charges.find(({ id }) => id === form.get("charge"));
  if (charge === undefined) {
    return { status: 404, body: { error: { code: "resource_missing", param: "charge" } } };
  }
  const amount = Number(form.get("amount") ?? charge.amount);
  return {
    body: { id: `re_${charge.id.slice(3)}`, object: "refund", amount, status: "succeeded" },
  };
}
