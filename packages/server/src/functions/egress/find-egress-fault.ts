import { findWildcardBase, isEgressAddress } from "@jackfield/contract";
import { getPublicSuffix } from "tldts";

/** Why an entry cannot be deployed; undefined where it can. */
export function findEgressFault(
  entry: string,
  isOpened: (url: string) => boolean,
): string | undefined {
  const base = findWildcardBase(entry);
  if (base !== undefined && getPublicSuffix(base, { allowPrivateDomains: false }) === base) {
    return `${entry} covers everybody's hosts below ${base}; name more of it`;
  }
  if (isEgressAddress(entry) && !isOpened(`http://${entry}/`)) {
    return `${entry} is an address, which only the operator can open, with SVC_EGRESS_ALLOW; write a name`;
  }
  return undefined;
}
