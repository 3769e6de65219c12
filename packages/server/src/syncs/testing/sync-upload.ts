import { newSync, newUpload } from "#functions/testing";

/** An upload of one sync of model Contact whose `exec` has this body; `svc` is in scope. */
export function newSyncUpload(
  body: string,
  change: Partial<Parameters<typeof newSync>[1]> = {},
): ReturnType<typeof newUpload> {
  const js = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
module.exports.default = { type: "sync", models: { Contact: any }, exec: async (svc) => { ${body} } };`;
  const flow = newSync("contacts", { fileBody: { js, ts: body }, ...change });
  return newUpload({ flowConfigs: [flow], reconcile: true });
}
