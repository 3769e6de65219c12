// What tests of runtime calls share.
export { openEgress } from "./open-egress.ts";
