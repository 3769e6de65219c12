import { type FileHandle, open } from "node:fs/promises";
import * as z from "zod";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { messageOf, UserError } from "../../user-error.ts";

const revocation = z.looseObject({
  data: z.looseObject({
    touched: z.looseObject({ keys: z.array(z.looseObject({ id: z.string() })) }).nullable(),
  }),
});
const keyList = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });
const replaced = z.looseObject({
  data: z.array(
    z.looseObject({
      replaced_key_id: z.string(),
      key: z.looseObject({ id: z.string(), display_name: z.string(), secret: z.string() }),
    }),
  ),
});

/** A new file that only its owner reads; throws UserError where there is one already. */
export async function createKeyFile(path: string): Promise<FileHandle> {
  return await open(path, "wx", 0o600).catch((cause: unknown) => {
    throw new UserError(`${path} cannot be created: ${messageOf(cause)}`, { cause });
  });
}

/** Replaces the keys of the environment that touched the revoked connections; the new ones go to the file, as JSON. */
export async function replaceKeys(platform: Platform, id: string, file: FileHandle): Promise<void> {
  const { data } = await callPlatform(platform, {
    ...{ method: "GET", path: `/revocations/${id}`, answer: revocation },
  });
  const touched = new Set(data.touched?.keys.map((key) => key.id));
  const path = "/environment/api-keys";
  const known = await callPlatform(platform, { method: "GET", path, answer: keyList });
  const ids = known.data.map((key) => key.id).filter((key) => touched.has(key));
  const body = { key_ids: ids };
  const answer =
    ids.length === 0
      ? { data: [] }
      : await callPlatform(platform, {
          ...{ method: "POST", path: `${path}/replace`, body, answer: replaced },
        });
  await file.writeFile(`${JSON.stringify(answer.data, undefined, 2)}\n`);
  await file.sync();
  for (const { key, replaced_key_id: old } of answer.data) {
    console.error(`Replaced the API key "${key.display_name}" (${old}).`);
  }
  if (ids.length === 0) console.error("No API key of the environment touched the connections.");
}
