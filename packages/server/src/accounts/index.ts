// Owns the accounts of the installation. Tables: installation, accounts.
export { ensureAccount } from "./ensure-account.ts";
export { findRateLimit } from "./find-rate-limit.ts";
export { isFirstAccount } from "./is-first-account.ts";
export { requireFirstAccount } from "./require-first-account.ts";
export {
  type Account,
  countAccounts,
  findAccount,
  insertAccount,
  listAccountPage,
  lockAccount,
  updateAccountRow,
} from "./store.ts";
