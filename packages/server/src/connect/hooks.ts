import { type ConnectionUuid, defineHook } from "#foundation";

export interface ConnectionContents {
  readonly connection: ConnectionUuid;
  readonly model: string;
  readonly count: number;
}

/** Asks what was read from connections, for their end user to see. */
export const connectionContents = defineHook<
  readonly ConnectionUuid[],
  readonly ConnectionContents[]
>("connect.connection_contents", { unanswered: [] });
