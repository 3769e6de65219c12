import { getDomain } from "tldts";

/**
 * Whether two hosts are of one owner: the same name directly below a public suffix, where people may register names
 * (publicsuffix.org); hosts that are addresses have to be equal.
 */
export function isOfOneOwner(host: string, other: string): boolean {
  if (host === other) return true;
  const options = { allowPrivateDomains: true };
  const domain = getDomain(host, options);
  return domain !== null && domain === getDomain(other, options);
}
