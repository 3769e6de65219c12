import { type ContactFields, newContactFields } from "./new-contact-fields.ts";
import { createSeededRandom } from "./seeded-random.ts";

export interface Contact extends ContactFields {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ContactChanges {
  readonly changed: number;
  readonly added: number;
  readonly removed: number;
}

/** The ids that one call of `change` touched. */
export interface ChangedContacts {
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface ContactBook {
  /** Up to `limit` contacts in order of id, after the id `after`, changed at or after `updatedSince`. */
  list(page: { after?: string; limit: number; updatedSince?: string }): {
    contacts: Contact[];
    hasMore: boolean;
  };
  find(id: string): Contact | undefined;
  create(fields: ContactFields): Contact;
  /** Merges the given fields into a contact. */
  update(id: string, fields: Partial<ContactFields>): Contact | undefined;
  remove(id: string): boolean;
  /** Changes, adds and removes that many contacts, chosen by the seed; none is both changed and removed. */
  change(changes: ContactChanges): ChangedContacts;
  count(): number;
}

const MINUTE_MS = 60_000;
const firstCreatedAtMs = Date.UTC(2026, 0, 1);

/** Makes a book of contacts that is the same for the same `count` and `seed`. */
export function createContactBook(options: { count: number; seed: number }): ContactBook {
  const random = createSeededRandom(options.seed);
  const contacts = new Map<string, Contact>();
  let lastNumber = 0;
  let nowMs = firstCreatedAtMs;

  // Times come from a clock of the book's own, so that two runs with one seed are equal.
  function nextTime(): string {
    nowMs += MINUTE_MS;
    return new Date(nowMs).toISOString();
  }

  function create(fields: ContactFields): Contact {
    lastNumber += 1;
    const id = `con_${String(lastNumber).padStart(7, "0")}`;
    const time = nextTime();
    const contact = { id, ...fields, created_at: time, updated_at: time };
    contacts.set(id, contact);
    return contact;
  }

  function update(id: string, fields: Partial<ContactFields>): Contact | undefined {
    const contact = contacts.get(id);
    if (contact === undefined) return undefined;
    const updated = { ...contact, ...fields, updated_at: nextTime() };
    contacts.set(id, updated);
    return updated;
  }

  for (let index = 0; index < options.count; index += 1) {
    create(newContactFields(random, index + 1));
  }

  return {
    list({ after = "", limit, updatedSince = "" }) {
      const found: Contact[] = [];
      for (const contact of contacts.values()) {
        if (contact.id <= after || contact.updated_at < updatedSince) continue;
        if (found.length === limit) return { contacts: found, hasMore: true };
        found.push(contact);
      }
      return { contacts: found, hasMore: false };
    },
    find: (id) => contacts.get(id),
    create,
    update,
    remove: (id) => contacts.delete(id),
    change({ changed, added, removed }) {
      if (changed + removed > contacts.size) {
        throw new RangeError(
          `Cannot change ${changed} and remove ${removed} contacts: there are only ${contacts.size}.`,
        );
      }
      const chosen = chooseIds([...contacts.keys()], changed + removed, random);
      const changedIds = chosen.slice(0, changed);
      const removedIds = chosen.slice(changed);
      for (const id of changedIds) update(id, { title: `Head of ${nextTime()}` });
      for (const id of removedIds) contacts.delete(id);
      const addedIds = Array.from(
        { length: added },
        () => create(newContactFields(random, lastNumber + 1)).id,
      );
      return { changed: changedIds, added: addedIds, removed: removedIds };
    },
    count: () => contacts.size,
  };
}

// The head of a Fisher-Yates shuffle: each id at most once.
function chooseIds(ids: string[], count: number, random: () => number): string[] {
  for (let index = 0; index < count; index += 1) {
    const other = index + Math.floor(random() * (ids.length - index));
    const [left, right] = [ids[index], ids[other]];
    if (left === undefined || right === undefined) break;
    ids[index] = right;
    ids[other] = left;
  }
  return ids.slice(0, count);
}
