import { createHmac } from "node:crypto";
import type { EnvironmentContext } from "#foundation";
import { deriveKey } from "#vault";
import type { ModelId } from "../store.ts";

const SOURCE_CHARACTERS = 20;

/** Ids of sources: the numbers of models would say how many there are in the installation. */
export async function nameSources(ctx: EnvironmentContext): Promise<(model: ModelId) => string> {
  const environmentId = ctx.environment.id;
  const key = await deriveKey(ctx, { environmentId, purpose: "record-feed-source" });
  return (model) => {
    const hash = createHmac("sha256", key).update(String(model)).digest("base64url");
    return hash.slice(0, SOURCE_CHARACTERS);
  };
}
