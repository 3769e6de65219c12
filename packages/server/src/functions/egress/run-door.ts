import { ANY_HOST, coversHost, INTEGRATION_HOSTS, toEgressHost } from "@jackfield/contract";
import { getConnectionByUuid } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import { getIntegrationById, listCallHosts } from "#integrations";
import { logMessage } from "#logs";
import type { EgressOwner, RunEgress, SentBytes } from "#slice";
import type { FunctionRun } from "../run/function-run.ts";
import { countEgress, OTHER_HOSTS } from "./count-egress.ts";

/** Hosts of one run that are counted by name, and refusals that are logged; a function may make up any number. */
const MOST_NAMED = 20;
/** A line that a person copies. */
const MOST_SHOWN = 5;

type Run = Pick<
  FunctionRun,
  "fn" | "integration" | "connection" | "operationId" | "outerEgress" | "proxyOnly"
>;
type Hide = <Value>(value: Value) => Value;

/** Whether the run sees no credentials: whom a function calls sees no more than it does. */
export function isProxyOnly({ fn, proxyOnly: isBound = false }: Run): boolean {
  return isBound || fn.definition.credentials === "proxy-only";
}

/** The door of a run; `hide` takes the secrets that it was given out of the names of hosts that are logged. */
export function openRunDoor(ctx: EnvironmentContext, run: Run, hide: Hide): RunEgress {
  return new RunDoor(ctx, run, hide);
}

class RunDoor implements RunEgress {
  readonly #ctx: EnvironmentContext;
  readonly #run: Run;
  readonly #hide: Hide;
  readonly #entries: readonly string[] | undefined;
  readonly #named = new Set<string>();
  readonly #logged = new Set<string>();
  #ownHosts: Promise<readonly string[]> | undefined;

  constructor(ctx: EnvironmentContext, run: Run, hide: Hide) {
    this.#ctx = ctx;
    this.#run = run;
    this.#hide = hide;
    const { egress } = run.fn.definition;
    this.#entries = egress?.includes(ANY_HOST) === true ? undefined : egress;
  }

  async admit(url: URL, owner?: EgressOwner): Promise<void> {
    await this.#run.outerEgress?.admit(url, owner);
    if (await this.#covers(url, owner)) return;
    const host = toEgressHost(url);
    this.#countFor(host, { refused: 1 });
    const message = this.#explain(host);
    this.#log(host, message);
    throw new AppError("egress_refused", message);
  }

  count(url: URL, { sent, received }: SentBytes): void {
    this.#countFor(toEgressHost(url), { calls: 1, sent, received });
  }

  async #covers(url: URL, owner: EgressOwner | undefined): Promise<boolean> {
    const entries = this.#entries;
    if (entries === undefined || entries.some((entry) => coversHost(entry, url))) return true;
    if (!entries.includes(INTEGRATION_HOSTS)) return false;
    const hosts = await this.#hostsFor(owner);
    return hosts.some((host) => coversHost(host, url));
  }

  /** Of the call's own connection: an integration may have a host for each. */
  async #hostsFor(owner: EgressOwner | undefined): Promise<readonly string[]> {
    if (owner === undefined) {
      this.#ownHosts ??= this.#readOwnHosts();
      return await this.#ownHosts;
    }
    return owner.integrationId === this.#run.integration.id ? owner.hosts() : [];
  }

  async #readOwnHosts(): Promise<readonly string[]> {
    const [integration, connection] = await Promise.all([
      getIntegrationById(this.#ctx, this.#run.integration.id),
      getConnectionByUuid(this.#ctx, this.#run.connection.uuid),
    ]);
    return listCallHosts(integration, connection.connectionConfig);
  }

  #explain(host: string): string {
    const entries = this.#entries ?? [];
    const shown = entries.length > MOST_SHOWN ? ["…"] : entries.map((each) => `"${each}"`);
    const line = `egress: [${[...shown, `"${host}"`].join(", ")}]`;
    const { name, type } = this.#run.fn;
    return `The ${type} ${name} may not send to ${host}: its egress does not name the host. If it should, write ${line} and deploy it.`;
  }

  #log(host: string, text: string): void {
    if (this.#logged.has(host) || this.#logged.size >= MOST_NAMED) return;
    this.#logged.add(host);
    const { operationId, fn } = this.#run;
    const message = this.#hide(text);
    this.#ctx.log.warn("function.egress_refused", { function: fn.name, operationId });
    logMessage(this.#ctx, {
      ...{ operationId, message, level: "error", source: "internal", context: "script" },
      error: { type: "egress_refused", message },
    });
  }

  #countFor(
    host: string,
    counted: Partial<SentBytes> & { calls?: number; refused?: number },
  ): void {
    const shown = this.#hide(host);
    const isNamed = this.#named.has(shown) || this.#named.size < MOST_NAMED;
    if (isNamed) this.#named.add(shown);
    countEgress(this.#ctx, {
      functionId: this.#run.fn.id,
      connection: this.#run.connection.uuid,
      host: isNamed ? shown : OTHER_HOSTS,
      ...{ calls: 0, refused: 0, sent: 0, received: 0, ...counted },
    });
  }
}
