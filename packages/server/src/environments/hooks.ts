import { defineHook, type Environment } from "#platform";

/** Told in the transaction that deletes the environment: what it holds has to go. */
export const environmentDeleted = defineHook<Environment>("environments.deleted");
