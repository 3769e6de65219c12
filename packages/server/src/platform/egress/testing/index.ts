// Owns what tests of outbound calls share.
export { closedAddresses } from "./closed-addresses.ts";
