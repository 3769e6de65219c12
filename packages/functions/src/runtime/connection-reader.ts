import type {
  Connection,
  ConnectionCredentials,
  GetConnectionOptions,
  OAuth1Token,
} from "../connection.ts";
import { checkValue } from "./check-value.ts";
import { type Run, requireRunning } from "./run.ts";

const CACHE_MS = 60_000;

/** Reads connections through the host and remembers each for 60 s of the run (contract A.2). */
export class ConnectionReader {
  readonly #run: Run;
  readonly #cached = new Map<string, { connection: Connection; readAtMs: number }>();

  constructor(run: Run) {
    this.#run = run;
  }

  async getConnection(
    providerConfigKey: string = this.#run.facts.providerConfigKey,
    connectionId: string = this.#run.facts.connectionId,
    options: GetConnectionOptions = {},
  ): Promise<Connection> {
    requireRunning(this.#run);
    const key = JSON.stringify([providerConfigKey, connectionId]);
    const cached = this.#cached.get(key);
    const hasOption = options.forceRefresh !== undefined || options.refreshToken !== undefined;
    const nowMs = this.#run.elapsedMs();
    if (!hasOption && cached !== undefined && nowMs - cached.readAtMs < CACHE_MS) {
      return cached.connection;
    }
    const { value } = await this.#run.channel.call("getConnection", {
      providerConfigKey,
      connectionId,
      forceRefresh: options.forceRefresh ?? false,
      refreshToken: options.refreshToken ?? false,
    });
    const connection = toConnection(value);
    if (!hasOption) this.#cached.set(key, { connection, readAtMs: nowMs });
    else this.#cached.delete(key);
    return connection;
  }

  async getToken(): Promise<string | OAuth1Token | ConnectionCredentials> {
    const { credentials } = await this.getConnection();
    if (credentials.type === "OAUTH2") return String(credentials["access_token"]);
    if (credentials.type === "OAUTH1") {
      return {
        oAuthToken: String(credentials["oauth_token"]),
        oAuthTokenSecret: String(credentials["oauth_token_secret"]),
      };
    }
    return credentials;
  }

  async getMetadata(): Promise<Record<string, unknown> | null> {
    const { metadata } = await this.getConnection();
    await this.#checkMetadata(metadata ?? undefined);
    return metadata;
  }

  async writeMetadata(mode: "replace" | "merge", metadata: object): Promise<void> {
    requireRunning(this.#run);
    if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
      throw new TypeError("Metadata must be an object.");
    }
    if (mode === "replace") await this.#checkMetadata(metadata);
    const { facts } = this.#run;
    await this.#run.channel.call("setMetadata", { mode, metadata: { ...metadata } });
    this.#cached.delete(JSON.stringify([facts.providerConfigKey, facts.connectionId]));
  }

  #checkMetadata(value: unknown): Promise<void> {
    return checkValue(this.#run, {
      what: "metadata",
      label: "The connection's metadata",
      schema: this.#run.schemas.metadata,
      value,
    });
  }
}

/** The host answers with the API's own connection object, which this type describes. */
function toConnection(value: Record<string, unknown>): Connection {
  return { credentials: {}, ...value } as Connection;
}
