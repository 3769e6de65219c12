// Owns what tests of outbound calls share.
export { closedAddresses } from "./closed-addresses.ts";
export { startTestResolver, type TestResolver } from "./dns-server.ts";
export { tlsCertificates } from "./tls-certificates.ts";
