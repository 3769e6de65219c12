import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { callPlatform, type Platform, PlatformRefusal } from "../deploy/call-platform.ts";
import {
  listedConnection,
  type NangoSource,
  nangoConnection,
  nangoIntegration,
} from "./nango-shapes.ts";

const PAGE = 500;
const ATTEMPTS = 6;

/** Reads Nango's API; waits where it says that there were too many requests. */
export function readNangoApi(platform: Platform): NangoSource {
  const integrations = z.looseObject({ data: z.array(nangoIntegration) });
  const oneIntegration = z.looseObject({ data: nangoIntegration });
  const connections = z.looseObject({ connections: z.array(listedConnection) });
  return {
    listIntegrations: async () =>
      (await call({ path: "/integrations", answer: integrations })).data,
    readIntegration: async (key) => {
      const path = `/integrations/${encodeURIComponent(key)}?include=credentials`;
      return (await call({ path, answer: oneIntegration })).data;
    },
    async *listConnections() {
      for (let page = 0; ; page += 1) {
        const query = { page: String(page), limit: String(PAGE) };
        const answer = await call({ path: "/connections", query, answer: connections });
        if (answer.connections.length > 0) yield answer.connections;
        if (answer.connections.length < PAGE) return;
      }
    },
    readConnection: async ({ connection_id: id, provider_config_key: key }) =>
      await call({
        path: `/connections/${encodeURIComponent(id)}`,
        query: { provider_config_key: key, refresh_token: "true" },
        answer: nangoConnection,
      }),
  };

  async function call<Answer>(request: {
    path: string;
    query?: Record<string, string>;
    answer: z.ZodType<Answer>;
  }): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await callPlatform(platform, { method: "GET", ...request });
      } catch (error) {
        const isBusy = error instanceof PlatformRefusal && error.status === 429;
        if (!isBusy || attempt === ATTEMPTS) throw error;
        await delay(2 ** attempt * 500);
      }
    }
  }
}
