import type { Config } from "#config";
import type { SystemContext } from "#foundation";

export interface App extends AsyncDisposable {
  /** Opens the address; resolves to the port. */
  listen(address: { host: string; port: number }): Promise<number>;
  /** Not ready from now on; resolves when balancers have had the time to see it. */
  drain(): Promise<void>;
}

export interface AppOptions {
  readonly ctx: SystemContext;
  readonly config: Config;
  /** The database without a transaction pooler. */
  readonly directUrl: string;
  /** There is no way around the pooler: what is due is polled for. */
  readonly isDeaf: boolean;
  /** Metrics of the database are this process's to tell; where several share a port, one does. */
  readonly seesDatabase: boolean;
}
