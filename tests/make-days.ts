import { slices } from "../packages/server/src/app.ts";
import { ensureDays } from "../packages/server/src/foundation/db/day-partitions/index.ts";
import { openDatabase } from "../packages/server/src/foundation/db/index.ts";
import { createLogger, systemClock } from "../packages/server/src/foundation/index.ts";
import { allOf } from "../packages/server/src/slice/index.ts";

// In the database of a URL, the days that a server makes at its first start.
const [connectionString = ""] = process.argv.slice(2);
const log = createLogger("error");
await using database = openDatabase({
  ...{ connectionString, maxConnections: 1, pooled: false },
  onError: (error) => log.error("database.connection_lost", { message: error.message }),
});
await ensureDays({ db: database.db, clock: systemClock, log }, allOf(slices, "dayTables"));
