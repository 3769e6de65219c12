import { reactions } from "../../packages/server/src/app.ts";
import {
  newTimeId,
  type OperationId,
  type RunId,
} from "../../packages/server/src/foundation/index.ts";
import type { SandboxOutcome } from "../../packages/server/src/foundation/sandbox/index.ts";
import { createForgingSandbox } from "../../packages/server/src/foundation/sandbox/testing/index.ts";
import { createTestContext } from "../../packages/server/src/foundation/testing/index.ts";
import { deployFunctions, runFunction } from "../../packages/server/src/functions/index.ts";
import {
  insertTestConnection,
  insertTestIntegration,
  newBundle,
  newSync,
  newUpload,
} from "../../packages/server/src/functions/testing/index.ts";
import { ensureLogPartitions } from "../../packages/server/src/logs/index.ts";
import type { ForgedCall } from "./runtime-shapes.ts";

/** Sends each call once the one before is answered; its output tells how each was answered, and in how many bytes. */
const FORGE = `
  const answers = [];
  for (const [index, { params, method, body }] of JSON.parse(input.toString()).entries()) {
    const head = '{"op":"call","runId":"' + runId + '","callId":"sent' + index + '","method":"' + method + '","params":' + params + '}';
    const bytes = body === undefined ? "" : body.head + body.unit.repeat(body.times) + body.tail;
    const answer = call.answerTo("sent" + index);
    socket.write(frame(head, bytes));
    const { op, ...rest } = await answer;
    answers.push({ op, bytes: Buffer.byteLength(JSON.stringify({ ...rest, body: undefined })) });
  }
  done(JSON.stringify(answers));`;

export interface RuntimeHost extends AsyncDisposable {
  /** Runs a function whose process makes these calls, to every handler that a server has. */
  send(calls: readonly ForgedCall[]): Promise<SandboxOutcome>;
}

export async function startRuntimeHost(): Promise<RuntimeHost> {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(createForgingSandbox());
  const app = stack.use(await createTestContext({ sandbox, hooks: [...reactions] }));
  await ensureLogPartitions(app.ctx);
  const ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  const connection = await insertTestConnection(ctx, integration, "c1");
  const sync = newSync("forge", { fileBody: { ...newBundle("sync", ""), js: FORGE } });
  const [deployed] = await deployFunctions(ctx, newUpload({ flowConfigs: [sync] }));
  if (deployed === undefined) throw new Error("nothing was deployed");
  const running = stack.move();
  return {
    send: async (calls) =>
      await runFunction(ctx, {
        fn: deployed.fn,
        integration,
        connection,
        kind: "sync",
        runId: newTimeId<RunId>(ctx.clock.now()),
        operationId: newTimeId<OperationId>(ctx.clock.now()),
        timeoutMs: 120_000,
        exclusive: true,
        fence: 1,
        input: Buffer.from(JSON.stringify(calls)),
      }),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}
