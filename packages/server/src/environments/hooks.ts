import { defineHook, type Environment } from "#foundation";

/** Runs in the transaction that deletes the environment: what it holds has to go. */
export const environmentDeleted = defineHook<Environment>("environments.deleted");

export interface EnvironmentErasing {
  readonly environment: Environment;
  /** Leaves it as it is until the next day; the reason is logged. */
  postpone(reason: string): void;
}

/** An address that has received nothing since a time; past 5 days it is disabled, and its webhooks are held. */
export interface FailingReceiver {
  readonly url: string;
  readonly failingSince: Date;
  readonly disabledAt: Date | null;
}

/** Asks which addresses of the environment fail. */
export const failingReceivers = defineHook<void, readonly FailingReceiver[]>(
  "environments.failing_receivers",
  { unanswered: [] },
);

/** Runs before a deleted environment is erased for good, for slices that still have work on what it held. */
export const environmentErasing = defineHook<EnvironmentErasing>("environments.erasing");
