import * as z from "zod";
import { functionLimits } from "../function-limits.ts";

/** Stands for the hosts of the function's integration, as its connection has them. */
export const INTEGRATION_HOSTS = "{integration}";
/** Every public host. */
export const ANY_HOST = "*";

const LONGEST = 255;
const hostName = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;
const ipv4 = /^\d+\.\d+\.\d+\.\d+$/;

export type EgressHost = { readonly host: string } | { readonly fault: string };

/**
 * One entry of a function's `egress` as it is compared: lower case, IDNA in its ASCII form, without the dot that ends
 * an absolute name. A fault says what to write instead.
 */
export function parseEgressHost(text: string): EgressHost {
  if (text === INTEGRATION_HOSTS || text === ANY_HOST) return { host: text };
  const fault = findShapeFault(text);
  if (fault !== undefined) return { fault };
  const { isWildcard, name, port } = split(text);
  const url = URL.parse(`http://${name}/`);
  if (url === null || url.pathname !== "/") return { fault: "is no host name" };
  const host = url.hostname.replace(/\.$/, "");
  if (isLiteral(host)) {
    if (isWildcard) return { fault: "has an address behind `*.`, which only names can have" };
    if (host !== name.toLowerCase()) return { fault: `is an address; write it as ${host}` };
  } else {
    if (host.length > 253 || !hostName.test(host)) return { fault: "is no host name" };
    if (isWildcard && !host.includes(".")) {
      return { fault: "covers a whole top-level domain; name at least two labels behind `*.`" };
    }
  }
  if (port === undefined) return { host: `${isWildcard ? "*." : ""}${host}` };
  const number = Number(port);
  if (!/^\d{1,5}$/.test(port) || number < 1 || number > 65_535) {
    return { fault: "has a port that is not from 1 to 65535" };
  }
  return { host: `${isWildcard ? "*." : ""}${host}:${number}` };
}

function findShapeFault(text: string): string | undefined {
  if (text.length > LONGEST) return `has more than ${LONGEST} characters`;
  if (text.includes("://")) return "has a scheme; name the host alone";
  if (/[/\\?#]/.test(text)) return "has a path; name the host alone";
  if (text.includes("@")) return "has a user; name the host alone";
  if (/[{}]/.test(text)) return `has braces; only ${INTEGRATION_HOSTS} has them`;
  if (/[\s%]/.test(text)) return "has a space or a percent sign, which no host has";
  if (text.slice(text.startsWith("*.") ? 2 : 0).includes("*")) {
    return "has `*` elsewhere than as its whole first label, as in *.example.com";
  }
  return undefined;
}

function split(text: string): { isWildcard: boolean; name: string; port: string | undefined } {
  const isWildcard = text.startsWith("*.");
  const rest = isWildcard ? text.slice(2) : text;
  // The colons of an IPv6 address are within its brackets.
  const colon = rest.indexOf(":", rest.lastIndexOf("]") + 1);
  if (colon === -1) return { isWildcard, name: rest, port: undefined };
  return { isWildcard, name: rest.slice(0, colon), port: rest.slice(colon + 1) };
}

/** Whether an entry names an address instead of a name. */
export function isEgressAddress(entry: string): boolean {
  return isLiteral(split(entry).name);
}

function isLiteral(host: string): boolean {
  return host.startsWith("[") || ipv4.test(host);
}

/** The host that a wildcard's names end in; undefined for other entries. */
export function findWildcardBase(entry: string): string | undefined {
  const { isWildcard, name } = split(entry);
  return isWildcard ? name : undefined;
}

/**
 * Whether a parsed entry covers an address; `{integration}` and `*` cover none here. Without a port it covers the usual
 * ones of http and https.
 */
export function coversHost(entry: string, { hostname, port, protocol }: URL): boolean {
  const { isWildcard, name, port: wanted } = split(entry);
  const host = hostname.toLowerCase().replace(/\.$/, "");
  const isNamed = isWildcard
    ? host.length > name.length + 1 && host.endsWith(`.${name}`)
    : host === name;
  if (!isNamed) return false;
  if (wanted === undefined) return port === "";
  return wanted === (port === "" ? (protocol === "https:" ? "443" : "80") : port);
}

/** How an address is named in an entry: its host, with a port that is not the usual one. */
export function toEgressHost({ hostname, port }: URL): string {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  return port === "" ? host : `${host}:${port}`;
}

/** The hosts that a function may send to, as its author writes them. */
export const egressHosts = z
  .array(
    z
      .string("must be text such as api.example.com")
      .min(1, "must not be empty")
      .superRefine((text, context) => {
        const parsed = parseEgressHost(text);
        if (!("fault" in parsed)) return;
        const message = `"${text.slice(0, 100)}" ${parsed.fault}`;
        context.addIssue({ code: "custom", message });
      }),
    { error: 'must be a list of hosts, such as ["{integration}", "*.example.com"]' },
  )
  .max(functionLimits.egressHosts.value, `has more than ${functionLimits.egressHosts.value} hosts`)
  .superRefine((hosts, context) => {
    if (hosts.length === 1 || !hosts.includes(ANY_HOST)) return;
    context.addIssue({ code: "custom", message: '"*" covers all others: write it alone' });
  });

/** The entries as they are stored and compared: parsed, each once. Throws for one that is none. */
export function normalizeEgress(hosts: readonly string[]): string[] {
  const parsed = hosts.map((text) => {
    const found = parseEgressHost(text);
    if ("fault" in found) throw new TypeError(`${text} ${found.fault}`);
    return found.host;
  });
  return [...new Set(parsed)];
}
