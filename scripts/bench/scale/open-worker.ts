import { join, resolve } from "node:path";
import { reactions } from "../../../packages/server/src/app.ts";
import { readConfig } from "../../../packages/server/src/config.ts";
import { createEgress } from "../../../packages/server/src/foundation/egress/index.ts";
import {
  createLogger,
  Hooks,
  noFailpoints,
  noNotices,
  ServerStates,
  type SystemContext,
} from "../../../packages/server/src/foundation/index.ts";
import { noSpan } from "../../../packages/server/src/foundation/instruments/index.ts";
import { noQuarantine } from "../../../packages/server/src/foundation/quarantine.ts";
import { createSandbox } from "../../../packages/server/src/foundation/sandbox/index.ts";
import { openVault } from "../../../packages/server/src/operator/open-vault.ts";
import { ServerSettings } from "../../../packages/server/src/process/server-settings.ts";

export interface Worker extends AsyncDisposable {
  readonly ctx: SystemContext;
}

/** What a worker's loops and chores are given, in this process, so that each can be measured alone. Nothing runs by itself. */
export async function openWorker(env: Readonly<Record<string, string>>): Promise<Worker> {
  const { config, problems } = readConfig({ ...env });
  if (config === undefined) throw new Error(problems.join("; "));
  await using stack = new AsyncDisposableStack();
  const { db, keys, clock } = stack.use(await openVault(config));
  const log = createLogger("error");
  const dataDir = resolve(config.dataDir);
  const ctx: SystemContext = {
    ...{ actor: { kind: "system" }, db, keys, clock, log },
    http: stack.use(createEgress({ allow: [], authorities: [], log })),
    hooks: new Hooks(reactions),
    notices: noNotices,
    failpoints: noFailpoints,
    sandbox: stack.use(
      await createSandbox({
        ...{ dataDir, log: () => {}, memoryMb: config.functionMemoryMb },
        ...{ heapMb: config.functionHeapMb, environmentShare: config.environmentShare },
        ...{ strict: false, userIds: config.functionUserIds },
      }),
    ),
    settings: new ServerSettings(config, {
      quarantine: noQuarantine,
      spoolDir: join(dataDir, "spool"),
    }),
    state: stack.use(new ServerStates()),
    trace: noSpan,
    signal: new AbortController().signal,
  };
  const opened = stack.move();
  return { ctx, [Symbol.asyncDispose]: async () => await opened.disposeAsync() };
}
