import { ANY_HOST, coversHost, findWildcardBase } from "@jackfield/contract";
import { getPublicSuffix } from "tldts";
import type { Change } from "../deploy/compare-functions.ts";
import type { FunctionReach } from "../deployed-function.ts";

export interface EgressChange {
  /** A sentence. */
  readonly message: string;
  /** It may send where it could not before, or sees what it did not. */
  readonly widens: boolean;
}

/** What a new version may send where that the one before could not, and the reverse. */
export function compareReach(before: FunctionReach, after: FunctionReach): EgressChange[] {
  return [...compareEgress(before.egress, after.egress), ...compareCredentials(before, after)];
}

/** What a new function says of its reach; nothing where it says nothing. */
export function describeReach({ egress, credentials }: FunctionReach): string[] {
  const none = egress?.length === 0 ? ["It may send nowhere."] : [];
  const hosts = isOpen(egress) ? [] : [`It may send to ${listed(egress ?? [])}.`];
  const open = egress?.includes(ANY_HOST) === true ? ["It may send to any host."] : [];
  const hidden = credentials === undefined ? [] : ["It sees no credentials."];
  return [...(none.length > 0 ? none : hosts), ...open, ...hidden];
}

function compareEgress(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): EgressChange[] {
  if (isOpen(after)) {
    if (isOpen(before)) return [];
    const was = listed(before ?? []);
    return [{ message: `It may send to any host; it was ${was}.`, widens: true }];
  }
  const [old = [], now = []] = [before, after];
  if (isOpen(before)) {
    const to = now.length === 0 ? "nowhere" : `only to ${listed(now)}`;
    return [{ message: `It may send ${to}; it was any host.`, widens: false }];
  }
  const added = now.filter((entry) => !old.some((known) => includesEntry(known, entry)));
  const lost = old.filter((entry) => !now.some((known) => includesEntry(known, entry)));
  return [
    ...(added.length === 0
      ? []
      : [{ message: `It may also send to ${listed(added)}.`, widens: true }]),
    ...(lost.length === 0
      ? []
      : [{ message: `It may no longer send to ${listed(lost)}.`, widens: false }]),
  ];
}

function compareCredentials(before: FunctionReach, after: FunctionReach): EgressChange[] {
  if (before.credentials === after.credentials) return [];
  return after.credentials === undefined
    ? [{ message: "It can read credentials; it saw none.", widens: true }]
    : [{ message: "It no longer sees credentials.", widens: false }];
}

function isOpen(entries: readonly string[] | undefined): boolean {
  return entries === undefined || entries.includes(ANY_HOST);
}

/** Whether all that the second entry covers is covered by the first. */
function includesEntry(wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  const base = findWildcardBase(narrow);
  const port = /:\d+$/.exec(narrow)?.[0] ?? "";
  const host = base === undefined ? narrow : `x.${base}${port}`;
  const url = URL.parse(`http://${host}/`);
  return url !== null && coversHost(wide, url) && (base === undefined || wide.startsWith("*."));
}

// So many are named.
const NAMED = 5;

function listed(entries: readonly string[]): string {
  if (entries.length === 0) return "no host";
  const named = entries.slice(0, NAMED).join(", ");
  return entries.length > NAMED ? `${named} and ${entries.length - NAMED} more` : named;
}

/** A warning for each function of a deployment that may send to more than before, or below whose hosts anybody has one. */
export function findReachWarnings(changes: readonly Change[]): string[] {
  return changes.flatMap(({ uploaded, current, kind }) => {
    if (kind === "unchanged") return [];
    const what = `The ${uploaded.type} "${uploaded.name}" of integration "${uploaded.integrationKey}"`;
    const wider =
      current === undefined
        ? []
        : compareReach(current.definition, uploaded.definition).filter(({ widens }) => widens);
    return [
      ...wider.map(({ message }) => `${what} reaches further than before. ${message}`),
      ...(uploaded.definition.egress ?? [])
        .filter(isShared)
        .map((entry) => `${what} may send to ${entry}: anybody can have a host below that name.`),
    ];
  });
}

/** Names below such a suffix belong to different people: `*.github.io`. */
function isShared(entry: string): boolean {
  const base = findWildcardBase(entry);
  return base !== undefined && getPublicSuffix(base, { allowPrivateDomains: true }) === base;
}
