import { createOnEvent } from "jackfield";
import * as z from "zod";

const settings = z.object({
  owner: z.string(),
  repo: z.string(),
  /** Where events go; the server's own address for this integration unless set. */
  webhookUrl: z.url().optional(),
  webhookId: z.number().optional(),
});

/** Has GitHub send this connection's events from its first minute on. */
export default createOnEvent({
  description: "Registers a webhook in the connection's repository.",
  event: "post-connection-creation",
  metadata: settings,

  exec: async (svc) => {
    const metadata = settings.safeParse(await svc.getMetadata());
    const url = metadata.data?.webhookUrl ?? (await svc.getWebhookURL());
    if (!metadata.success || !url) {
      await svc.log("No repository or address yet: no webhook is registered", { level: "warn" });
      return;
    }
    const { owner, repo } = metadata.data;
    const { data } = await svc.post<{ id: number }>({
      endpoint: `/repos/${owner}/${repo}/hooks`,
      data: {
        name: "web",
        events: ["issues"],
        config: { url, content_type: "json", insecure_ssl: "0" },
      },
    });
    await svc.updateMetadata({ webhookId: data.id });
  },
});
