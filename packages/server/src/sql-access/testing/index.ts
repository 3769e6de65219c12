// What tests of logins need: a database that asks them for passwords, clients that sign in as they do, and what looks for
// the locks that they hold.
export { dropAccess } from "../end-access.ts";
export { guard } from "../guard-logins.ts";
export { requirePasswords, signIn } from "./store.ts";
