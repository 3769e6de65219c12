// A server for tests: `server-entry.ts <failpoint> <count> <clock skew in ms>`. It kills itself when so
// many attempts have come to the failpoint, where they wait for each other.
import { readConfig } from "../../packages/server/src/config.ts";
import { presentStart } from "../../packages/server/src/process/present-start.ts";
import { startServer } from "../../packages/server/src/start-server.ts";

const [failpoint = "", count = "1", skewMs = "0"] = process.argv.slice(2);
const { config, problems } = readConfig();
if (config === undefined) throw new Error(problems.join("\n"));

let waiting = 0;
const server = await startServer({
  config,
  clock: { now: () => new Date(Date.now() + Number(skewMs)) },
  failpoints: {
    async hit(name) {
      if (name !== failpoint) return;
      waiting += 1;
      if (waiting === Number(count)) process.kill(process.pid, "SIGKILL");
      await new Promise(() => {});
    },
  },
});
process.stdout.write(`${presentStart(server, config)}\n`);
