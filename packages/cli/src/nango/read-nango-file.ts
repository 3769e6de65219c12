import { readFile } from "node:fs/promises";
import { messageOf, UserError } from "../user-error.ts";
import { type NangoSource, nangoExport } from "./nango-shapes.ts";

/** Reads an export: one JSON object with the lists `integrations` and `connections`, as the API answers each entry. */
export async function readNangoFile(path: string): Promise<NangoSource> {
  const { integrations, connections } = await parse(path);
  return {
    listIntegrations: async () => integrations,
    readIntegration: async (key) => find(integrations, (one) => one.unique_key === key, key),
    async *listConnections() {
      if (connections.length > 0) yield connections;
    },
    readConnection: async (listed) =>
      find(
        connections,
        (one) =>
          one.connection_id === listed.connection_id &&
          one.provider_config_key === listed.provider_config_key,
        listed.connection_id,
      ),
  };
}

async function parse(path: string) {
  try {
    const text = await readFile(path, "utf8");
    return nangoExport.parse(JSON.parse(text));
  } catch (cause) {
    throw new UserError(
      `${path} is not an export: it must hold JSON with the lists \`integrations\` and \`connections\`. ${messageOf(cause).slice(0, 500)}`,
      { cause },
    );
  }
}

function find<One>(all: readonly One[], isMeant: (one: One) => boolean, name: string): One {
  const found = all.find(isMeant);
  if (found === undefined) throw new UserError(`The export has no ${name}.`);
  return found;
}
