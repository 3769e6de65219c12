import pg from "pg";
import { SECOND } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import { within } from "../../waiting/index.ts";
import { destroyConnection } from "./ask-sessions.ts";

// Longer than a database on a busy machine takes, and shorter than the patience of who looks on.
const ANSWER_WITHIN_MS = 30 * SECOND;

interface Asked {
  /** As an operator knows it: a setting, or what it is. */
  readonly name: string;
  readonly withinMs?: number;
}

/** Throws, with what to do, where a database takes no connection or does not answer a first question. */
export async function requireAnswer(
  connectionString: string,
  { name, withinMs = ANSWER_WITHIN_MS }: Asked,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => undefined);
  const at = `The database at ${client.host}:${client.port} (${name})`;
  try {
    if (await within(withinMs, ask(client))) return;
  } catch (error) {
    throw new Error(`${at} cannot be used: ${messageOf(error)}`, { cause: error });
  } finally {
    destroyConnection(client);
  }
  throw new Error(
    `${at} did not answer within ${withinMs / SECOND} s. Its machine may be too busy, or something on the way drops what is sent: see to that, and start again.`,
  );
}

async function ask(client: pg.Client): Promise<void> {
  await client.connect();
  await client.query("select 1");
}
