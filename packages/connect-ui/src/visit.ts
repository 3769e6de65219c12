import type { AuthResult } from "@jackfield/frontend";

/** Where on the page an entry of the browser's history is; the list without an integration. */
export interface Place {
  /** Key of the integration whose form or end is shown. */
  readonly integration?: string;
  /** The connection that was made there. */
  readonly result?: AuthResult;
}

interface Entry extends Place {
  /** Which of the tab's visits to the page the entry belongs to. */
  readonly visit?: string;
}

const PREFIX = "jackfield-connect-";

/**
 * Keeps what the page was opened with for reloads and Back. The token stays out of the address, and of the history,
 * which browsers write to disk; a new visit in the same tab has parameters of its own.
 */
export function keepVisit(parameters: object): void {
  const visit = crypto.getRandomValues(new Uint32Array(2)).join("-");
  window.history.replaceState({ visit } satisfies Entry, "", window.location.pathname);
  try {
    sessionStorage.setItem(PREFIX + visit, JSON.stringify(parameters));
  } catch {
    // A frame may have no storage; the page works until it is loaded again.
  }
}

/** What the visit of this history entry began with. */
export function findVisit(): unknown {
  const { visit } = readEntry();
  if (visit === undefined) return undefined;
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + visit) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

export function readPlace(): Place {
  return readEntry();
}

/** Adds an entry to the history, so that Back leads to where the page was. */
export function enterPlace(place: Place): void {
  window.history.pushState(entryOf(place), "");
}

export function replacePlace(place: Place): void {
  window.history.replaceState(entryOf(place), "");
}

function entryOf(place: Place): Entry {
  const { visit } = readEntry();
  return visit === undefined ? place : { ...place, visit };
}

/** Entries are this page's own: no other page can write them. */
function readEntry(): Entry {
  return Object(window.history.state);
}
