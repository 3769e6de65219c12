// What tests of logins need: a database that asks them for passwords, and clients that sign in as they do.
export { requirePasswords, signIn } from "./store.ts";
