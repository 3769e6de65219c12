import type { Config } from "#config";
import { type Logger, reasonOf } from "#foundation";
import { type Db, openDatabase, Replica, ReplicaSet } from "#foundation/db";

/** Replicas that lists are read from: those that can be reached now, and the others once they can. */
export async function openReplicas(
  stack: AsyncDisposableStack,
  { config, primary, log }: { config: Config; primary: Db; log: Logger },
): Promise<ReplicaSet | undefined> {
  const { databaseReplicaUrls: urls } = config;
  if (urls.length === 0) return undefined;
  const replicas = urls.map((url, index) => {
    const connectionString = url.reveal();
    const name = nameOf(connectionString, index);
    const database = stack.use(
      openDatabase({
        connectionString,
        maxConnections: config.databaseConnections,
        environmentShare: config.environmentShare,
        // Without names of statements it works behind any pooler, or balancer of several replicas.
        pooled: config.databasePooled !== false,
        onError: (error) =>
          log.warn("database.replica_connection_lost", { replica: name, message: reasonOf(error) }),
      }),
    );
    return new Replica(name, database);
  });
  const set = stack.use(new ReplicaSet({ primary, replicas, log }));
  void set.look();
  return set;
}

/** A standby of the coordinator has none of the rows that lie on workers. */
export function requireNoReplicas({ databaseReplicaUrls: urls }: Config): void {
  if (urls.length === 0) return;
  throw new Error(
    "SVC_DATABASE_REPLICA_URLS is set, but Citus distributes the tables of this database: a standby of the coordinator does not have the rows of its workers. Start the server without SVC_DATABASE_REPLICA_URLS.",
  );
}

/** In metrics and logs; an address may hold a password. */
function nameOf(connectionString: string, index: number): string {
  const url = URL.parse(connectionString);
  return url === null || url.host === "" ? `replica-${index + 1}` : url.host;
}
