import type pg from "pg";
import type { Pool } from "undici";
import type { Headers } from "../lists/lists.ts";

/** A server over the filled database. */
export interface Installation {
  readonly url: string;
  readonly client: pg.Client;
  readonly pool: Pool;
  readonly headers: Headers;
}
