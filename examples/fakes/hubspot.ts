import type { VendorAnswer, VendorApi } from "jackfield/test";

const people = [
  "Ada Lovelace",
  "Grace Hopper",
  "Katherine Johnson",
  "Mary Jackson",
  "Radia Perlman",
];

const contacts = Array.from({ length: 205 }, (_, index) => {
  const [firstname = "", lastname = ""] = (people[index % people.length] ?? "").split(" ");
  const id = String(1001 + index);
  return {
    id,
    properties: {
      firstname,
      lastname: index % 7 === 6 ? null : lastname,
      email: index % 11 === 10 ? null : `${firstname}.${id}@example.com`.toLowerCase(),
      lastmodifieddate: new Date(Date.UTC(2026, 0, 1 + (index % 28), 8)).toISOString(),
    },
    createdAt: "2025-11-03T08:00:00.000Z",
    archived: false,
  };
});

const deals = Array.from({ length: 7 }, (_, index) => ({
  id: String(501 + index),
  properties: {
    dealname: `Deal ${index + 1}`,
    amount: index === 3 ? null : String(1000 * (index + 1)),
    dealstage: ["appointmentscheduled", "contractsent", "closedlost"][index % 3],
    pipeline: index < 5 ? "default" : "renewals",
  },
}));

/** What the fake says of the account; a test may change it. */
export interface HubspotAccount {
  accountType: "STANDARD" | "SANDBOX";
}

/** Contacts, deals and account details, in the form of HubSpot's CRM API v3. */
export function createHubspot(account: HubspotAccount): VendorApi {
  return ({ method, path, query, body }) => {
    if (path === "/account-info/v3/details") {
      return { body: { ...account, timeZone: "Europe/Berlin" } };
    }
    if (path === "/crm/v3/objects/contacts" && method === "GET") {
      return { body: toPage(contacts, Number(query.get("limit") ?? 10), query.get("after")) };
    }
    if (path === "/crm/v3/objects/contacts" && method === "POST")
      return createContact(JSON.parse(body));
    if (path === "/crm/v3/objects/deals/search" && method === "POST") {
      const { filterGroups, limit, after } = JSON.parse(body);
      const pipeline = filterGroups[0].filters[0].value;
      const found = deals.filter(({ properties }) => properties.pipeline === pipeline);
      return { body: { total: found.length, ...toPage(found, limit, after ?? null) } };
    }
    return undefined;
  };
}

/** For `jackfield simulate hubspot --api fakes/hubspot.ts`. */
export default createHubspot({ accountType: "STANDARD" });

function createContact({ properties }: { properties: { email: string } }): VendorAnswer {
  const existing = contacts.find((contact) => contact.properties.email === properties.email);
  if (existing !== undefined) {
    const message = `Contact already exists. Existing ID: ${existing.id}`;
    return { status: 409, body: { status: "error", message, category: "CONFLICT" } };
  }
  return {
    status: 201,
    body: {
      id: "9001",
      properties: {
        firstname: null,
        lastname: null,
        ...properties,
        lastmodifieddate: "2026-02-01T10:00:00.000Z",
      },
      archived: false,
    },
  };
}

function toPage<Item>(items: readonly Item[], limit: number, after: string | number | null) {
  const start = Number(after ?? 0);
  const end = start + limit;
  const next = end < items.length ? { paging: { next: { after: String(end) } } } : {};
  return { results: items.slice(start, end), ...next };
}
