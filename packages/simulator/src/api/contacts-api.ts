import { readBody } from "../read-body.ts";
import { sendJson, sendProblem } from "../respond.ts";
import type { ApiCall } from "./api-call.ts";
import type { Contact, ContactBook } from "./contacts.ts";
import type { ContactFields } from "./new-contact-fields.ts";

const maximumPageSize = 200;
const defaultPageSize = 50;
const bodyLimitBytes = 1024 * 1024;

/** Answers `/api/contacts` and `/api/contacts/{id}`; `id` is `undefined` on the collection. */
export async function answerContacts(
  book: ContactBook,
  call: ApiCall,
  id: string | undefined,
): Promise<void> {
  const method = call.request.method ?? "GET";
  if (id === undefined) {
    if (method === "GET") return listContacts(book, call);
    if (method === "POST") return createContact(book, call);
    return sendMethodNotAllowed(call, "GET, POST");
  }
  const contact = book.find(id);
  if (contact === undefined) {
    return sendProblem(call.response, 404, {
      error: "not_found",
      message: `There is no contact ${id}.`,
    });
  }
  if (method === "GET") return sendJson(call.response, 200, contact);
  if (method === "PATCH" || method === "PUT") return updateContact(book, call, contact);
  if (method !== "DELETE") return sendMethodNotAllowed(call, "GET, PATCH, PUT, DELETE");
  book.remove(id);
  call.response.writeHead(204).end();
}

function listContacts(book: ContactBook, call: ApiCall): void {
  const query = call.url.searchParams;
  const limit = Number(query.get("limit") ?? defaultPageSize);
  if (!Number.isInteger(limit) || limit < 1 || limit > maximumPageSize) {
    sendBadRequest(call, `limit must be a whole number from 1 to ${maximumPageSize}.`);
    return;
  }
  const cursor = query.get("cursor");
  const after = cursor === null ? "" : Buffer.from(cursor, "base64url").toString();
  if (cursor !== null && !/^con_\d+$/.test(after)) {
    sendBadRequest(call, "cursor is not one that this API gave out.");
    return;
  }
  const since = query.get("updated_since");
  if (since !== null && Number.isNaN(Date.parse(since))) {
    sendBadRequest(call, "updated_since must be an ISO 8601 time.");
    return;
  }
  const page = book.list({
    after,
    limit,
    ...(since === null ? {} : { updatedSince: new Date(since).toISOString() }),
  });
  const last = page.contacts.at(-1);
  sendJson(call.response, 200, {
    contacts: page.contacts,
    next_cursor:
      page.hasMore && last !== undefined ? Buffer.from(last.id).toString("base64url") : null,
  });
}

async function createContact(book: ContactBook, call: ApiCall): Promise<void> {
  const fields = await readFields(call);
  if (fields === undefined) return;
  if (fields.name === undefined || fields.email === undefined) {
    return sendBadRequest(call, "name and email are required.");
  }
  const { name, email } = fields;
  sendJson(call.response, 201, book.create({ ...emptyFields, ...fields, name, email }));
}

async function updateContact(book: ContactBook, call: ApiCall, contact: Contact): Promise<void> {
  const fields = await readFields(call);
  if (fields === undefined) return;
  const isReplacement = call.request.method === "PUT";
  if (isReplacement && (fields.name === undefined || fields.email === undefined)) {
    return sendBadRequest(call, "name and email are required.");
  }
  const merged = isReplacement ? { ...emptyFields, ...fields } : fields;
  sendJson(call.response, 200, book.update(contact.id, merged));
}

const emptyFields = { name: "", email: "", company: "", title: "", phone: "", city: "", notes: "" };
const fieldNames = ["name", "email", "company", "title", "phone", "city", "notes"] as const;

// Reads the known fields of a JSON body; answers the call itself and gives undefined when it cannot.
async function readFields(call: ApiCall): Promise<Partial<ContactFields> | undefined> {
  const body = await readBody(call.request, bodyLimitBytes);
  const value = body === undefined ? undefined : parseJsonObject(body.toString());
  if (value === undefined) {
    sendBadRequest(call, "The body must be a JSON object of at most 1 MiB.");
    return undefined;
  }
  const fields: Partial<Record<keyof ContactFields, string>> = {};
  for (const name of fieldNames) {
    const field = value.get(name);
    if (field === undefined) continue;
    if (typeof field !== "string") {
      sendBadRequest(call, `${name} must be a string.`);
      return undefined;
    }
    fields[name] = field;
  }
  return fields;
}

function parseJsonObject(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return new Map(Object.entries(value));
  } catch {
    return undefined;
  }
}

function sendBadRequest(call: ApiCall, message: string): void {
  sendProblem(call.response, 400, { error: "bad_request", message });
}

function sendMethodNotAllowed(call: ApiCall, allow: string): void {
  const message = `${call.request.method} is not allowed here; use ${allow}.`;
  sendProblem(call.response, 405, { error: "method_not_allowed", message }, { allow });
}
