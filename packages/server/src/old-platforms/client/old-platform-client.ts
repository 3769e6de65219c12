import * as z from "zod";
import {
  backoffMs,
  CircuitBreaker,
  type EnvironmentContext,
  MINUTE,
  messageOf,
  SECOND,
  serverState,
} from "#foundation";
import type { EgressResponse } from "#foundation/egress";
import { MoveRefused, type OldPlatform } from "../old-platform.ts";
import { openSecretKey } from "../settings/sealed-key.ts";

const TIMEOUT_MS = 8 * SECOND;
// It may run functions of the customer before it deletes.
const DELETION_TIMEOUT_MS = 20 * SECOND;
const MAX_BYTES = 1024 * 1024;
const FAILURES_TO_OPEN = 5;
const PAUSES = { firstMs: 5 * SECOND, longestMs: MINUTE };
const MAX_PLATFORMS = 1000;

/** By old platform, so that one environment's key or address holds up no other. */
const breakers = serverState(
  () =>
    new CircuitBreaker({
      failuresToOpen: FAILURES_TO_OPEN,
      pauseMs: (failures) => backoffMs(PAUSES, failures - FAILURES_TO_OPEN + 1),
      maxNames: MAX_PLATFORMS,
    }),
);

export interface Named {
  readonly integrationKey: string;
  readonly connectionId: string;
}

const text = z.string().min(1).max(65_536);
const credentials = z.looseObject({
  type: z.string().optional(),
  access_token: text.optional(),
  refresh_token: text.nullish(),
  expires_at: z.string().nullish(),
  config_override: z
    .looseObject({ client_id: z.string().nullish(), client_secret: z.string().nullish() })
    .nullish(),
});
const connection = z.looseObject({
  connection_id: z.string(),
  provider_config_key: z.string(),
  provider: z.string(),
  credentials,
  connection_config: z.record(z.string(), z.unknown()).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  tags: z.record(z.string(), z.string()).nullish(),
  end_user: z
    .looseObject({
      id: z.string(),
      email: z.string().nullish(),
      display_name: z.string().nullish(),
    })
    .nullish(),
});
export type OldConnection = z.infer<typeof connection>;

const list = z.looseObject({ connections: z.array(z.looseObject({})) });
// Servers like this one name a callback URL, and withdraw tokens unless a setting says otherwise; others know neither.
const integration = z.looseObject({
  data: z.looseObject({
    callback_url: z.string().nullish(),
    settings: z.looseObject({ revoke_on_delete: z.boolean().nullish() }).nullish(),
  }),
});

/** The old platform's API: each call is bounded, and throws MoveRefused. */
export class OldPlatformClient {
  readonly #ctx: EnvironmentContext;
  readonly #foundation: OldPlatform;

  constructor(ctx: EnvironmentContext, platform: OldPlatform) {
    this.#ctx = ctx;
    this.#foundation = platform;
  }

  /** With fresh credentials: the old platform refreshes what is about to expire, or at once with `force`. */
  async read(
    { integrationKey, connectionId }: Named,
    { withRefreshToken, force }: { withRefreshToken: boolean; force: boolean },
  ): Promise<OldConnection> {
    const query = new URLSearchParams({
      provider_config_key: integrationKey,
      ...(withRefreshToken ? { refresh_token: "true" } : {}),
      ...(force ? { force_refresh: "true" } : {}),
    });
    const path = `/connections/${encodeURIComponent(connectionId)}?${query}`;
    return this.#parse(connection, await this.#call("GET", path));
  }

  /** By the list, which refreshes nothing. */
  async exists({ integrationKey, connectionId }: Named): Promise<boolean> {
    const query = new URLSearchParams({ connectionId, integrationId: integrationKey, limit: "1" });
    const found = this.#parse(list, await this.#call("GET", `/connections?${query}`));
    return found.connections.length > 0;
  }

  /** Whether deleting a connection there would withdraw its tokens at the provider. */
  async withdrawsOnDelete(integrationKey: string): Promise<boolean> {
    const path = `/integrations/${encodeURIComponent(integrationKey)}`;
    const { data } = this.#parse(integration, await this.#call("GET", path));
    const isAlike = data.callback_url != null || data.settings != null;
    return isAlike && data.settings?.revoke_on_delete !== false;
  }

  /** Deletes the connection there; one that is gone already is deleted. */
  async remove({ integrationKey, connectionId }: Named): Promise<void> {
    const query = new URLSearchParams({ provider_config_key: integrationKey });
    const path = `/connections/${encodeURIComponent(connectionId)}?${query}`;
    const response = await this.#call("DELETE", path);
    const isGone = response.status === 404 || readCode(response.body) === "unknown_connection";
    if (isGone || isSuccess(response)) return;
    throw new MoveRefused(
      "deletion_refused",
      `${this.#foundation.name} did not delete its connection (${describe(response)}); its key may lack the right to.`,
    );
  }

  /** Imports the connection there, over the one of that id. */
  async add(body: Readonly<Record<string, unknown>>): Promise<void> {
    const response = await this.#call("POST", "/connections", body);
    if (isSuccess(response)) return;
    throw new MoveRefused(
      "import_refused",
      `${this.#foundation.name} did not import the connection (${describe(response)}); it is refreshed here as before.`,
    );
  }

  /** Throws where the key or the address is wrong. */
  async requireAnswer(): Promise<void> {
    this.#parse(list, await this.#call("GET", "/connections?limit=1"));
  }

  async #call(method: string, path: string, body?: object): Promise<EgressResponse> {
    const { name, id } = this.#foundation;
    const breaker = breakers.of(this.#ctx);
    const nowMs = () => this.#ctx.clock.now().getTime();
    const { refusedUntil } = breaker.admit(id, nowMs());
    if (refusedUntil !== undefined) {
      throw new MoveRefused(
        "old_platform_unreachable",
        `${name} has just failed several times; it is asked again in ${Math.ceil((refusedUntil - nowMs()) / SECOND)} s.`,
      );
    }
    const response = await this.#send(method, path, body).catch((error: unknown) => {
      this.#ctx.signal.throwIfAborted();
      breaker.noteFailure(id, nowMs());
      const message = `${name} cannot be reached: ${messageOf(error)}`;
      throw new MoveRefused("old_platform_unreachable", message, { cause: error });
    });
    if (response.status >= 500 || response.status === 429) {
      breaker.noteFailure(id, nowMs());
      const what = `${name} answered ${response.status}`;
      throw new MoveRefused("old_platform_unreachable", `${what}; try again later.`);
    }
    breaker.noteSuccess(id);
    return response;
  }

  async #send(method: string, path: string, body?: object): Promise<EgressResponse> {
    const key = await openSecretKey(this.#ctx, this.#foundation);
    return await this.#ctx.http.request({
      method,
      url: `${this.#foundation.url}${path}`,
      headers: {
        authorization: `Bearer ${key.reveal()}`,
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs: method === "DELETE" ? DELETION_TIMEOUT_MS : TIMEOUT_MS,
      maxResponseBytes: MAX_BYTES,
      signal: this.#ctx.signal,
    });
  }

  #parse<Answer>(schema: z.ZodType<Answer>, response: EgressResponse): Answer {
    const { name } = this.#foundation;
    if (!isSuccess(response)) {
      throw new MoveRefused("old_platform_refused", `${name} answered ${describe(response)}.`);
    }
    const parsed = schema.safeParse(readJson(response.body));
    if (parsed.success) return parsed.data;
    throw new MoveRefused(
      "old_platform_invalid_answer",
      `${name} answered without what a connection holds; check its address.`,
    );
  }
}

function isSuccess({ status }: EgressResponse): boolean {
  return status >= 200 && status < 300;
}

/** Never with text of the answer, which may hold credentials. */
function describe({ status, body }: EgressResponse): string {
  const code = readCode(body);
  return code === undefined ? `${status}` : `${status} ${code}`;
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

const failure = z.looseObject({ error: z.looseObject({ code: z.string() }) });

function readCode(body: Buffer): string | undefined {
  const parsed = failure.safeParse(readJson(body));
  const code = parsed.success ? parsed.data.error.code : undefined;
  return code !== undefined && /^[a-z][a-z0-9_]{1,60}$/.test(code) ? code : undefined;
}
