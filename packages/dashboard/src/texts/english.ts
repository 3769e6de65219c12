import { english as connections } from "./english-connections.ts";
import { english as integrations } from "./english-integrations.ts";
import { english as operations } from "./english-operations.ts";
import { english as shell } from "./english-shell.ts";
import { english as syncs } from "./english-syncs.ts";
import { english as tables } from "./english-tables.ts";

/** Everything the dashboard says, in English. A language is one more object of this shape. */
export const english = { shell, tables, operations, connections, syncs, integrations };

export type Texts = typeof english;
