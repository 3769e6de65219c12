// Owns the account of the installation. Tables: installation, accounts.
export { ensureAccount } from "./ensure-account.ts";
export { lockAccount } from "./store.ts";
