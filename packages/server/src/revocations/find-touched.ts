import { endAgentSessions } from "#agents";
import { endSessionsOfConnections } from "#connect";
import { listConnectionUsers } from "#connections";
import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { listItems } from "./items/store.ts";
import type { Revocation, Touched, Toucher } from "./revocation.ts";

const PAGE = 500;
const MOST_USERS_OF_PAGE = 5000;
const MOST_SHOWN = 100;
/** Of so many the numbers of connections are added up; of more the first ones are. */
const MOST_KNOWN = 10_000;

type Users = Map<string, Toucher>;

/** Keys and sessions that touched the connections of a revocation; ends the sessions where that was asked for. */
export async function findTouched(
  ctx: EnvironmentContext,
  { id, isRehearsal, endsSessions }: Revocation,
): Promise<Touched> {
  const [keys, agents]: [Users, Users] = [new Map(), new Map()];
  let [agentSessionsEnded, connectSessionsEnded, after] = [0, 0, 0];
  const isEnding = endsSessions && !isRehearsal;
  for (;;) {
    ctx.signal.throwIfAborted();
    const items = await listItems(ctx.db, id, { after, limit: PAGE });
    const uuids = items.map(({ connectionUuid }) => asUuid(connectionUuid));
    const users = await listConnectionUsers(ctx, { uuids, limit: MOST_USERS_OF_PAGE });
    for (const { kind, name, connections, lastAt } of users) {
      const known = kind === "key" ? keys : kind === "agent" ? agents : undefined;
      if (known !== undefined)
        add(known, { id: name, connections, lastUsedAt: lastAt.toISOString() });
    }
    if (isEnding) {
      const sessions = users.filter(({ kind }) => kind === "agent").map(({ name }) => name);
      agentSessionsEnded += await endAgentSessions(ctx, sessions);
      connectSessionsEnded += await endSessionsOfConnections(ctx, uuids);
    }
    const last = items.at(-1);
    if (last === undefined || items.length < PAGE) break;
    after = last.position;
  }
  return {
    ...{ keys: first(keys), agentSessions: first(agents) },
    ...{ agentSessionsEnded, connectSessionsEnded },
  };
}

function add(users: Users, user: Toucher): void {
  const known = users.get(user.id);
  if (known === undefined && users.size >= MOST_KNOWN) return;
  const isLater = known === undefined || known.lastUsedAt < user.lastUsedAt;
  users.set(user.id, {
    id: user.id,
    connections: (known?.connections ?? 0) + user.connections,
    lastUsedAt: isLater ? user.lastUsedAt : known.lastUsedAt,
  });
}

function first(users: Users): Toucher[] {
  return [...users.values()].sort((a, b) => b.connections - a.connections).slice(0, MOST_SHOWN);
}

// Rows hold what was chosen.
function asUuid(text: string): ConnectionUuid {
  return text as ConnectionUuid;
}
