import { type EnvironmentId, reasonOf, SECOND, type SystemContext, serverState } from "#foundation";
import { commonDb, type Db } from "#foundation/db";
import { notifyDue } from "#tasks";

/** What can change, as those who watch name it. */
export const changeTopics = [
  "operations",
  "connections",
  "syncs",
  "problems",
  "deliveries",
  "inbox",
  "setup",
  "agents",
  "connect-links",
  "revocations",
] as const;

export type ChangeTopic = (typeof changeTopics)[number];

/** The name of its notices; their detail is a list of `<environment>:<numbers of topics>`. */
export const CHANGES = "changes";

const ANNOUNCED_EVERY_MS = SECOND;
// 8000 bytes are the most that a notice of Postgres takes.
const ENVIRONMENTS_AT_ONCE = 150;

/** Announces to every process which environments have changed in what: a notice a second, however much has. */
export class ChangeAnnouncer {
  readonly #log: SystemContext["log"];
  readonly #changed = new Map<EnvironmentId, Set<ChangeTopic>>();
  #db: Db | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ log }: Pick<SystemContext, "log">) {
    this.#log = log;
  }

  useDatabase(db: Db): void {
    if (this.#db === undefined && !db.isTransaction) this.#db = db;
  }

  add(environmentId: EnvironmentId, topic: ChangeTopic): void {
    const known = this.#changed.get(environmentId);
    if (known === undefined) this.#changed.set(environmentId, new Set([topic]));
    else known.add(topic);
    this.#timer ??= setTimeout(() => void this.#announce(), ANNOUNCED_EVERY_MS).unref();
  }

  async #announce(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    this.#timer = undefined;
    const db = this.#db;
    if (db === undefined) return;
    try {
      for (let from = 0; from < changed.length; from += ENVIRONMENTS_AT_ONCE) {
        const some = changed.slice(from, from + ENVIRONMENTS_AT_ONCE);
        await notifyDue({ db }, `${CHANGES} ${some.map(toText).join(",")}`);
      }
    } catch (error) {
      // Who watches looks again by itself when the database is back.
      this.#log.warn("logs.changes_not_announced", { reason: reasonOf(error) });
    }
  }
}

function toText([environmentId, topics]: readonly [EnvironmentId, ReadonlySet<ChangeTopic>]) {
  return `${environmentId}:${[...topics].map((topic) => changeTopics.indexOf(topic)).join("")}`;
}

export interface Change {
  readonly environmentId: string;
  readonly topics: readonly ChangeTopic[];
}

/** What the detail of a notice says. */
export function readChanges(detail: string): Change[] {
  return detail.split(",").map((text) => {
    const [environmentId = "", numbers = ""] = text.split(":");
    const topics = [...numbers].flatMap((number) => changeTopics[Number(number)] ?? []);
    return { environmentId, topics };
  });
}

type Owner = Pick<SystemContext, "state" | "db" | "log">;

const announcer = serverState((owner: Pick<Owner, "log">) => new ChangeAnnouncer(owner));

/** Within a second all who watch the environment hear of it; said before a commit, they may look too early once. */
export function announceChange(ctx: Owner, environmentId: EnvironmentId, topic: ChangeTopic): void {
  const own = announcer.of(ctx);
  own.useDatabase(commonDb(ctx.db));
  own.add(environmentId, topic);
}

/** What else has changed when there is an operation of this kind. */
const topicsOf: Readonly<Record<string, ChangeTopic>> = {
  sync: "syncs",
  auth: "connections",
  webhook: "deliveries",
  "webhook:incoming": "inbox",
  admin: "setup",
  deploy: "setup",
};

export function announceOperation(
  ctx: Owner,
  environmentId: EnvironmentId,
  { type, action }: { readonly type: string; readonly action: string },
): void {
  announceChange(ctx, environmentId, "operations");
  const topic = topicsOf[`${type}:${action}`] ?? topicsOf[type];
  if (topic !== undefined) announceChange(ctx, environmentId, topic);
}
