import * as z from "zod";
import { timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** How the installation does, for who operates it. */

const count = z.number().int();

const worker = z
  .strictObject({
    process: z.string().meta({ description: "Host and process id.", examples: ["jackfield-1:42"] }),
    pools: count.describe("Pools of workers in the process, one for each queue."),
    sync_slots: count.describe("How many syncs it runs at once."),
    seen_at: timestamp.describe("Its last heartbeat, by the database's clock."),
    is_alive: z.boolean().describe("`false` after 20 seconds of silence: others take its work."),
  })
  .meta({ id: "InstallationWorker", description: "A process that does queued work." });

const queue = z
  .strictObject({
    kind: z.string().describe("What waits: a task by name, or rows of a table."),
    depth: count.describe("How many are due and wait; counted up to 10,000."),
    oldest_seconds: z.number().describe("How long the oldest of them has been due."),
  })
  .meta({ id: "InstallationQueue", description: "Due work of one kind that waits." });

const partitions = z
  .strictObject({
    table: z.string().describe("The table."),
    days: count.describe("How many days have a partition."),
    first_day: z.iso.date().nullable().describe("The first of them, in UTC; null without one."),
    last_day: z.iso
      .date()
      .nullable()
      .describe("The last of them, in UTC, which is usually ahead; null without one."),
    missing_days: z
      .array(z.iso.date())
      .describe("Today and tomorrow, in UTC, where they have none; it should be empty."),
    bytes: count.describe("Size of all its partitions with their indexes."),
    default_is_empty: z
      .boolean()
      .describe(
        "Whether the default partition has no rows. It takes rows of days without a partition, and those that are still needed of a day that was dropped.",
      ),
  })
  .meta({ id: "InstallationPartitions", description: "A table that is partitioned by day." });

const failure = z
  .strictObject({
    request_id: z
      .string()
      .describe("Id in the answer and in the server's log, which has the cause."),
    method: z.string().describe("HTTP method."),
    route: z
      .string()
      .nullable()
      .describe("Path of the route without its values; null where there is no such route."),
    at: timestamp.describe("When it was answered."),
  })
  .meta({ id: "InstallationFailure", description: "A request that was answered with 500." });

const status = z
  .strictObject({
    id: uuid.describe("Id of the installation."),
    version: z.string().describe("Version of the server that answers."),
    node_version: z.string().describe("Version of Node.js that it runs on."),
    started_at: timestamp.describe("When the process that answers was started."),
    uptime_seconds: count.describe("For how long that process has run."),
    roles: z
      .array(z.enum(["api", "worker"]))
      .describe("What that process was started to do: `SVC_ROLES`."),
    api_processes: count.describe("Processes that share the port: `SVC_API_PROCESSES`."),
    not_ready: z.string().nullable().describe("Why it takes no requests; null while it does."),
    quarantined_since: timestamp
      .nullable()
      .describe("Since when a restored copy waits for `jackfield resume`; null otherwise."),
    workers: z.array(worker).describe("Processes with workers that were seen within the hour."),
    queue: z.array(queue).describe("Due work by kind, what waits longest first."),
    database: z
      .strictObject({
        version: z.string().describe("Version of Postgres."),
        bytes: count.describe("Size of the database."),
        connections: count.describe("Open connections of all processes to this database."),
        busy_connections: count.describe("Those of them that run a statement or a transaction."),
        pool_size: count.describe("How many the process that answers may open."),
        max_connections: count.describe("How many the database server takes from all."),
        answer_ms: z.number().describe("How long the database took to answer a trivial query."),
      })
      .describe("The database."),
    disk: z
      .strictObject({
        free_bytes: count.describe("Free bytes that the process may use."),
        total_bytes: count.describe("Size of the file system."),
      })
      .nullable()
      .describe("File system of the data folder; null where the system does not say."),
    partitions: z
      .array(partitions)
      .describe("Tables that are partitioned by day, the largest first."),
    migrations: z
      .strictObject({
        applied: count.describe("How many are applied."),
        last: z.string().nullable().describe("Name of the last one; null without one."),
        pending: z
          .array(z.string())
          .describe("Those that this version has and the database lacks; it should be none."),
      })
      .describe("Changes of the schema."),
    key_ring: z
      .strictObject({
        data_keys: count.describe("Keys that encrypt what is stored."),
        under_other_master_keys: count.describe(
          "Data keys that another master key still opens: more than 0 while the master key is being changed.",
        ),
        other_holders: count.describe("Running processes that use another master key."),
        is_rotating: z.boolean().describe("Whether data keys are being replaced."),
      })
      .describe("Encryption at rest."),
    egress: z
      .strictObject({
        allow: z
          .array(z.string())
          .describe(
            "Addresses, ranges and hosts that the operator has opened besides public addresses: `SVC_EGRESS_ALLOW`.",
          ),
        added_authorities: count.describe(
          "Authorities of certificates that are trusted besides the usual ones: `SVC_EGRESS_CA_FILE`.",
        ),
      })
      .describe("Where the process that answers may send requests."),
    recent_failures: z
      .array(failure)
      .describe(
        "Requests that the process that answers has answered with 500 since its start, the newest first; at most 20.",
      ),
    sandbox: z
      .strictObject({
        level: z
          .enum(["sealed", "private-root", "namespaces", "users", "permissions"])
          .describe("How isolated functions are; `sealed` is the strongest."),
        reason: z
          .string()
          .nullable()
          .describe("Why this machine reaches no stronger level; null at the strongest."),
        filters_calls: z
          .boolean()
          .describe("Whether a filter keeps system calls from functions that none of them needs."),
        limits: z
          .enum(["cgroup", "process"])
          .describe(
            "What limits the memory and tasks of each process: a cgroup of its own, or limits of the process and a look at it every 0.4 s.",
          ),
        limits_reason: z
          .string()
          .nullable()
          .describe("Why there are no cgroups; null where there are."),
        processes: count.describe("Processes of functions that run or rest."),
        idle_processes: count.describe("Those of them that rest."),
      })
      .describe("Where functions run, in the process that answers."),
    addresses: z
      .strictObject({
        server: z.string().describe("Public address of the API."),
        connect: z.string().describe("Address of the connect page."),
        dashboard: z
          .string()
          .nullable()
          .describe("Address of the dashboard; null where it is off."),
      })
      .describe("Where the installation is reached."),
  })
  .meta({ id: "InstallationStatus", description: "How the installation does." });

export const installationStatusRoutes = {
  getInstallation: defineRoute({
    method: "GET",
    path: "/installation",
    summary:
      "How the installation does: versions, workers, queues, database, disk, keys, isolation",
    principals: ["account"],
    scope: "account:installation:read",
    success: {
      status: 200,
      schema: z.strictObject({ data: status.describe("The installation as it is now.") }),
    },
    errors: [],
    idempotent: false,
  }),
} as const;
