import * as z from "zod";
import type { Contact, ContactBook } from "../api/contacts.ts";
import type { VendorAnswer, VendorApi, VendorCall } from "../vendor/calls/own-api.ts";

const CONTACTS = /^\/crm\/v3\/objects\/contacts(?:\/(\d+))?$/;
const MAX_LIMIT = 100;

const created = z.object({
  properties: z.object({
    firstname: z.string().default(""),
    lastname: z.string().default(""),
    email: z.email(),
    company: z.string().default(""),
  }),
});

/** Contacts in the form of HubSpot's CRM API v3. */
export function hubspotApi(book: ContactBook): VendorApi {
  return (call) => {
    const [whole, number] = CONTACTS.exec(call.path) ?? [];
    if (whole === undefined) return undefined;
    if (number !== undefined) return findContact(book, number);
    return call.method === "POST" ? createContact(book, call) : listContacts(book, call);
  };
}

function findContact(book: ContactBook, number: string): VendorAnswer {
  const contact = book.find(toId(Number(number)));
  return contact === undefined
    ? { status: 404, body: { status: "error", message: "resource not found" } }
    : { body: toHubspot(contact) };
}

function createContact(book: ContactBook, { body }: VendorCall): VendorAnswer {
  const parsed = created.safeParse(JSON.parse(body));
  if (!parsed.success) {
    const message = z.prettifyError(parsed.error);
    return { status: 400, body: { status: "error", category: "VALIDATION_ERROR", message } };
  }
  const { firstname, lastname, email, company } = parsed.data.properties;
  const name = `${firstname} ${lastname}`.trim();
  const contact = book.create({ name, email, company, title: "", phone: "", city: "", notes: "" });
  return { status: 201, body: toHubspot(contact) };
}

function listContacts(book: ContactBook, { query }: VendorCall): VendorAnswer {
  const limit = Math.min(Number(query.get("limit") ?? 10), MAX_LIMIT);
  const after = query.get("after");
  const { contacts, hasMore } = book.list({
    after: after === null ? "" : toId(Number(after)),
    limit,
  });
  const last = contacts.at(-1);
  return {
    body: {
      results: contacts.map(toHubspot),
      ...(hasMore && last !== undefined ? { paging: { next: { after: toNumber(last.id) } } } : {}),
    },
  };
}

function toHubspot({ id, name, email, company, created_at, updated_at }: Contact) {
  const [firstname = "", ...others] = name.split(" ");
  return {
    id: toNumber(id),
    properties: { firstname, lastname: others.join(" "), email, company },
    createdAt: created_at,
    updatedAt: updated_at,
    archived: false,
  };
}

/** HubSpot's ids are numbers. */
function toNumber(id: string): string {
  return String(Number(id.replace("con_", "")));
}

function toId(number: number): string {
  return `con_${String(number).padStart(7, "0")}`;
}
