import { functionLimits } from "@jackfield/contract/function-limits";
import type { ConnectionCredentials } from "../api-types.ts";
import type {
  Connection,
  GetConnectionOptions,
  MetadataResponse,
  OAuth1Token,
} from "../connection.ts";
import { checkValue } from "./check-value.ts";
import { type Run, requireRunning } from "./run.ts";
import { RunFailure } from "./run-failure.ts";

const MAX_METADATA_BYTES = functionLimits.metadataBytes.value;
const CACHE_MS = functionLimits.connectionCacheMs.value;

/** Reads connections through the host and remembers each for 60 s of the run. */
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
    if (!("type" in credentials)) {
      throw new RunFailure({
        type: "credentials_withheld",
        message: `There is no token to read: the function has credentials: "proxy-only", or its caller may not read credentials. svc.get and its like send them.`,
        status: 403,
      });
    }
    if (credentials.type === "OAUTH2") return String(credentials.access_token);
    if (credentials.type === "OAUTH1") {
      return {
        oAuthToken: String(credentials.oauth_token),
        oAuthTokenSecret: String(credentials.oauth_token_secret),
      };
    }
    return credentials;
  }

  async getMetadata(): Promise<Record<string, unknown> | null> {
    const { metadata } = await this.getConnection();
    await this.#checkMetadata(metadata ?? undefined);
    return metadata;
  }

  /** Resolves to the answer that the API gives to the same change. */
  async writeMetadata(mode: "replace" | "merge", metadata: object): Promise<MetadataResponse> {
    requireRunning(this.#run);
    if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
      throw new TypeError("Metadata must be an object.");
    }
    if (mode === "replace") await this.#checkMetadata(metadata);
    const { facts } = this.#run;
    await this.#run.channel.call("setMetadata", { mode, metadata: toPlainMetadata(metadata) });
    const { connectionId: connection_id, providerConfigKey: provider_config_key } = facts;
    this.#cached.delete(JSON.stringify([provider_config_key, connection_id]));
    const data = { connection_id, provider_config_key, metadata: { ...metadata } };
    return mode === "replace"
      ? { status: 201, statusText: "Created", data }
      : { status: 200, statusText: "OK", data };
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

/** As JSON, so that dates and the like go as their text. */
function toPlainMetadata(metadata: object): Record<string, unknown> {
  const text = JSON.stringify(metadata) ?? "null";
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_METADATA_BYTES) {
    throw new RangeError(
      `The metadata is ${bytes} bytes of JSON; at most ${MAX_METADATA_BYTES} are allowed. Save large data as records.`,
    );
  }
  const plain: unknown = JSON.parse(text);
  if (typeof plain === "object" && plain !== null && !Array.isArray(plain)) return { ...plain };
  throw new TypeError("Metadata must be an object.");
}

/** The host answers with the API's own connection object, which this type describes. */
function toConnection(value: Record<string, unknown>): Connection {
  return { credentials: {}, ...value } as Connection;
}
