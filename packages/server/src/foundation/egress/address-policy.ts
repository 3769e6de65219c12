import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/** Which addresses may be connected to: public ones, and what the operator has opened. */
export interface AddressPolicy {
  /** The operator has opened this name, regardless of its addresses. */
  isOpenHost(hostname: string): boolean;
  isOpenAddress(address: string): boolean;
  /** This server has opened this one port. */
  isOpenOrigin(origin: string): boolean;
  isAllowedAddress(address: string): boolean;
}

// All that may be reached: RFC 4291 2.4 hands out only this range for global unicast.
const globalUnicast: Range = [ipaddr.IPv6.parse("2000::"), 3];
// Public by range, but answers only to the virtual machine itself (Azure's host agent).
const hostAgent = "168.63.129.16";

/** Items are CIDR ranges, addresses, hosts and `*.suffix`; throws for anything else. */
export function createAddressPolicy(
  allow: readonly string[],
  origins: ReadonlySet<string> = new Set(),
): AddressPolicy {
  const ranges: Range[] = [];
  const hosts = new Set<string>();
  const suffixes: string[] = [];
  for (const item of allow) {
    if (item.includes("/")) ranges.push(ipaddr.parseCIDR(item));
    else if (isIP(item) !== 0) ranges.push(wholeAddress(ipaddr.process(item)));
    else if (item.startsWith("*.")) suffixes.push(normalizeHost(item.slice(1)));
    else hosts.add(normalizeHost(item));
  }

  function isOpenAddress(text: string): boolean {
    const address = ipaddr.process(text);
    return ranges.some((range) => isWithin(address, range));
  }

  return {
    isOpenHost(hostname) {
      const host = normalizeHost(hostname);
      return hosts.has(host) || suffixes.some((suffix) => host.endsWith(suffix));
    },
    isOpenAddress,
    isOpenOrigin: (origin) => origins.has(origin),
    isAllowedAddress: (text) => isPublicAddress(text) || isOpenAddress(text),
  };
}

/** Lower case and without the dot that ends an absolute name. */
export function normalizeHost(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

/** Names that mean this machine regardless of the resolver (RFC 6761 6.3). */
export function isLocalhostName(hostname: string): boolean {
  const host = normalizeHost(hostname);
  return host === "localhost" || host.endsWith(".localhost");
}

function isPublicAddress(text: string): boolean {
  const address = ipaddr.parse(text);
  // Every form that wraps an IPv4 address (mapped, NAT64, 6to4, Teredo) has a range of its own.
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" ? text !== hostAgent : isWithin(address, globalUnicast);
}

function isWithin(address: Address, [start, bits]: Range): boolean {
  return address.kind() === start.kind() && address.match(start, bits);
}

function wholeAddress(address: Address): Range {
  return [address, address.kind() === "ipv4" ? 32 : 128];
}
