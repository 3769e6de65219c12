import { expect } from "vitest";
import { createEnvironment } from "#environments";
import { createDeliveryWork } from "#webhooks-out";
import { startInboxServer } from "./inbox-server.ts";
import { startOtherSide } from "./other-side.ts";
import { forgetWebhooks, listInboundIds, setPrimaryUrl } from "./store.ts";

const BYTES = 24 * 2 ** 20;
const headers = { "content-type": "application/json" };

/** The largest webhook on its way from a provider to a customer; `raw` is forwarded with its bytes besides, as base64. */
export interface LargeWebhooks extends AsyncDisposable {
  /** What is done with one, in this order. */
  readonly stages: Readonly<Record<string, (name: "plain" | "raw") => Promise<void>>>;
}

export async function startLargeWebhooks(): Promise<LargeWebhooks> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startInboxServer());
  const other = stack.use(await startOtherSide());
  const { accountId } = server.app.ctx.environment;
  const id = await createEnvironment(server.app.ctx, {
    accountId,
    name: "large",
    isProduction: false,
  });
  const ctx = server.enter({ id, name: "large", accountId });
  await setPrimaryUrl(ctx, other.url);
  const credentials = { type: "OAUTH2", client_id: "id", client_secret: "secret" } as const;
  const urlOf = async (uniqueKey: string, forward_raw: boolean): Promise<string> => {
    const change = { credentials, uniqueKey, settings: { forward_raw } };
    return `${server.url}${server.pathOf(await server.integration(ctx, "shopify", change))}`;
  };
  const urls = { plain: await urlOf("plain", false), raw: await urlOf("raw", true) };
  // A dump of all of them is more than a text may hold.
  stack.defer(async () => await forgetWebhooks(ctx));
  const running = stack.move();
  return {
    stages: {
      async received(name) {
        const sent = { url: urls[name], headers, textBytes: BYTES, secret: "secret" };
        expect((await other.send(sent)).status).toBe(200);
      },
      async handled() {
        await server.handle();
      },
      async shown() {
        const [id] = await listInboundIds(ctx);
        const authorization = ctx.environment.name;
        const url = `${server.url}/webhooks/inbox/${id}/body`;
        const sent = { url, headers: { authorization }, textBytes: 0, secret: "" };
        expect((await other.send(sent)).bytes).toBeGreaterThan(BYTES);
      },
      async delivered() {
        const received = other.receive();
        const work = createDeliveryWork();
        expect((await work.claim(server.outside, () => {})).claimed).toBe(1);
        expect(await received).toBeGreaterThan(BYTES);
        await work.drain?.();
      },
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}
