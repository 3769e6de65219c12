import { type AuthTools, endsOtherTokens, ProviderFailure } from "#auth-modes";
import { type SealedRevocation, withdrawToken } from "#connections";
import {
  AppError,
  backoffMs,
  CircuitBreaker,
  type EnvironmentContext,
  MINUTE,
  SECOND,
  serverState,
} from "#foundation";
import type { EgressResponse } from "#foundation/egress";
import { findProviderOf } from "#integrations";
import type { WithdrawalAnswer } from "../revocation.ts";

const FAILURES_TO_OPEN = 4;
const PAUSES = { firstMs: 10 * SECOND, longestMs: MINUTE };
// Bounded, since users name hosts in their settings.
const MAX_HOSTS = 1000;

const breakers = serverState(
  () =>
    new CircuitBreaker({
      failuresToOpen: FAILURES_TO_OPEN,
      pauseMs: (failures) => backoffMs(PAUSES, failures - FAILURES_TO_OPEN + 1),
      maxNames: MAX_HOSTS,
    }),
);

/** One token, and how asking for its withdrawal went. */
export interface AttemptAnswer extends WithdrawalAnswer {
  /** Whether asking again may help. */
  readonly isPassing: boolean;
  /** Nobody was asked: the host has just failed too often. */
  readonly heldUntilMs: number | undefined;
}

type Token = WithdrawalAnswer["token"];

/** What there is to withdraw: an access token too where the entry's own way names one token (RFC 7009). */
export function tokensOf({
  provider,
  definition,
  settings,
  credentials,
}: SealedRevocation): readonly { readonly token: Token; readonly without: readonly string[] }[] {
  const found = findProviderOf({ provider, definition, settings: settings ?? {} });
  const has = (name: string) => typeof credentials[name] === "string" && credentials[name] !== "";
  // An entry that names no way of its own leaves it to what the authorization server says of itself.
  const own = found !== undefined && "revocation" in found ? found.revocation : undefined;
  const isPlain = Object.keys(own?.params ?? {}).length === 0;
  if (!isPlain) return [{ token: "credentials", without: [] }];
  if (!has("refresh_token")) return [{ token: "access_token", without: [] }];
  const first = { token: "refresh_token", without: [] } as const;
  const isOver = found !== undefined && endsOtherTokens(found);
  if (!has("access_token") || isOver) return [first];
  return [first, { token: "access_token", without: ["refresh_token"] }];
}

/** Asks the provider to take one token back; undefined where its entry names nobody to ask. A rehearsal asks nobody. */
export async function attemptToken(
  ctx: EnvironmentContext,
  revocation: SealedRevocation,
  {
    token,
    without,
    isRehearsal,
  }: { token: Token; without: readonly string[]; isRehearsal: boolean },
): Promise<AttemptAnswer | undefined> {
  const credentials = { ...revocation.credentials };
  for (const name of without) Reflect.deleteProperty(credentials, name);
  const watch = new Watch(ctx, isRehearsal);
  const at = ctx.clock.now().toISOString();
  try {
    await withdrawToken(ctx, { ...revocation, credentials }, (tools) => watch.over(tools));
  } catch (error) {
    if (isRehearsal && watch.host !== undefined) return watch.toAnswer(token, at, { code: null });
    return watch.toAnswer(token, at, { code: codeOf(error) });
  }
  if (watch.host === undefined) return undefined;
  return { ...watch.toAnswer(token, at, { code: null }), isWithdrawn: !isRehearsal };
}

/** Our own code for what failed; of the provider's answer the watch knows more. */
function codeOf(error: unknown): string {
  if (error instanceof HostPaused) return "host_paused";
  if (error instanceof ProviderFailure && error.cause instanceof AppError) return error.cause.code;
  if (error instanceof AppError) return error.code;
  return error instanceof Error && error.name === "TimeoutError"
    ? "upstream_timeout"
    : "server_error";
}

class HostPaused extends AppError {
  constructor(host: string) {
    super("upstream_circuit_open", `${host} has just failed too often.`);
  }
}

/** Sees what one withdrawal asks, and keeps it from hosts that are down. */
class Watch {
  readonly #ctx: EnvironmentContext;
  readonly #isRehearsal: boolean;
  host: string | undefined;
  #response: EgressResponse | undefined;
  #heldUntilMs: number | undefined;

  constructor(ctx: EnvironmentContext, isRehearsal: boolean) {
    this.#ctx = ctx;
    this.#isRehearsal = isRehearsal;
  }

  over({ count: _count, ...tools }: AuthTools): AuthTools {
    const { servers } = tools.http;
    const http: AuthTools["http"] = {
      ...(servers === undefined ? {} : { servers }),
      request: async (request) => await this.#request(tools.http, request),
    };
    return { ...tools, http };
  }

  async #request(
    http: AuthTools["http"],
    request: Parameters<AuthTools["http"]["request"]>[0],
  ): Promise<EgressResponse> {
    const { host } = new URL(request.url);
    this.host = host;
    this.#response = undefined;
    if (this.#isRehearsal) throw new AppError("conflict", "A rehearsal sends nothing.");
    // Of its own environment: nobody's failures keep others from withdrawing.
    const name = `${this.#ctx.environment.id} ${host}`;
    const breaker = breakers.of(this.#ctx);
    const nowMs = () => this.#ctx.clock.now().getTime();
    const { refusedUntil } = breaker.admit(name, nowMs());
    if (refusedUntil !== undefined) {
      this.#heldUntilMs = refusedUntil;
      throw new HostPaused(host);
    }
    await this.#ctx.failpoints.hit("revocations.before_request");
    try {
      this.#response = await http.request(request);
    } catch (error) {
      breaker.noteFailure(name, nowMs());
      throw error;
    }
    await this.#ctx.failpoints.hit("revocations.after_request");
    if (isOutage(this.#response.status)) breaker.noteFailure(name, nowMs());
    else breaker.noteSuccess(name);
    return this.#response;
  }

  toAnswer(token: Token, at: string, { code }: { code: string | null }): AttemptAnswer {
    const status = this.#response?.status ?? null;
    const isAnswered = status !== null;
    return {
      ...{ token, host: this.host ?? null, status, at, isWithdrawn: false },
      code: this.#response === undefined ? code : plainCodeOf(this.#response),
      isPassing: isAnswered ? isOutage(status) : this.host !== undefined,
      heldUntilMs: this.#heldUntilMs,
    };
  }
}

function isOutage(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

const plain = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** `error` of an OAuth answer (RFC 6749 section 5.2) where it is a code; nothing else of an answer is repeated. */
function plainCodeOf({ status, body }: EgressResponse): string | null {
  if (status < 400 || body.byteLength > 64 * 1024) return null;
  try {
    const { error }: { error?: unknown } = Object(JSON.parse(body.toString()));
    return typeof error === "string" && plain.test(error) ? error : null;
  } catch {
    return null;
  }
}
