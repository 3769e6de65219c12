import type { Browser } from "../people/people-under-test.ts";
import { deployFunction, waitFor } from "./fill-environment.ts";

const source = `import { createSync } from "jackfield";
import * as z from "zod";
export default createSync({
  description: DESCRIPTION,
  version: "1.0.0",
  frequency: "every day",
  models: { Thing: z.looseObject({ id: z.string() })MODEL },
  exec: async (svc) => {
    await svc.batchSave(RECORDS, "Thing");
    SAVE
    await svc.log(MESSAGE, { level: "warn" });
    if (DELETED.length > 0) await svc.batchDelete(DELETED, "Thing");
  },
});
`;

export interface Things {
  readonly records: readonly object[];
  /** Records that it then deletes. */
  readonly deleted?: readonly { readonly id: string }[];
  /** Records of another model that are quarantined. */
  readonly quarantined?: readonly object[];
  readonly description?: string;
  /** What it logs. */
  readonly message?: string;
}

/** Deploys the sync `things` of the integration `open`. */
export async function deployThings(
  owner: Browser,
  environment: string,
  { records, deleted = [], quarantined = [], message = "saved", description = "Things" }: Things = {
    records: [{ id: "1" }, { id: "2" }],
  },
): Promise<void> {
  const values = { RECORDS: records, DELETED: deleted, MESSAGE: message, DESCRIPTION: description };
  const isOdd = quarantined.length > 0;
  const given = `const odd: any[] = ${JSON.stringify(quarantined)}; await svc.batchSave(odd, "Odd");`;
  const form = source
    .replace("MODEL }", () =>
      isOdd ? `, Odd: z.object({ id: z.string(), n: z.number() }) }` : " }",
    )
    .replace("SAVE", () => (isOdd ? given : ""))
    .replace("frequency:", () =>
      isOdd ? 'onInvalidRecord: "quarantine",\n  frequency:' : "frequency:",
    );
  const code = form.replaceAll(/RECORDS|DELETED|MESSAGE|DESCRIPTION/g, (name) =>
    JSON.stringify(Object(values)[name]),
  );
  await deployFunction(owner, environment, { type: "sync", name: "things", code });
}

/** Runs it for a connection, and waits until it has saved what it saves. */
export async function runThings(
  owner: Browser,
  environment: string,
  connection: string,
): Promise<void> {
  const body = { provider_config_key: "open", connection_id: connection, syncs: ["things"] };
  await waitFor(async () => {
    const asked = await owner.call("POST", "/sync/trigger", { environment, body });
    return asked.status === 200;
  });
  await waitFor(async () => {
    const query = `provider_config_key=open&connection_id=${connection}`;
    const { body: models } = await owner.call("GET", `/records/models?${query}`, { environment });
    return models.data?.length > 0;
  });
}
