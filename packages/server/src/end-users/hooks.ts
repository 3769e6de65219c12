import { defineHook } from "#foundation";

/** How a log that stays names somebody whom an erasure is about. */
export interface NamesErasing {
  readonly endUserId: string;
  readonly names: readonly string[];
  readonly words: readonly string[];
}

/** Asked when the rest is gone: takes the names out of logs that must stay; answers how many rows it changed. */
export const namesErasing = defineHook<NamesErasing, number>("end-users.namesErasing", {
  unanswered: 0,
});
