// Run by the test as it is: by Node and by Deno. Prints `done` when everything held.
import { Jackfield, JackfieldError } from "../index.ts";

declare const Deno: { readonly args: readonly string[] } | undefined;

const [host = "", signingKey = "", signature = "", sentAt = ""] =
  typeof Deno === "undefined" ? process.argv.slice(2) : Deno.args;
const jackfield = new Jackfield({ apiKey: "key", host, webhookSigningKey: signingKey });

function require(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

const session = await jackfield.connectSessions.create({ tags: { end_user_id: "u" } });
require(session.data.token === "t", "a body goes out and an answer comes back");

const query = { providerConfigKey: "crm", connectionId: "c", model: "Contact" };
let ids = "";
for await (const page of jackfield.records.pages<{ name: string }>(query)) {
  ids += page.records.map(({ id }) => id).join("");
}
require(ids === "12", "records come page by page");

const sent = await jackfield.post<{ ok: boolean }>({
  ...query,
  endpoint: "x",
  data: new Blob(["ab"]).stream(),
});
require(sent.data.ok, "streams go out");

const failure = await jackfield.integrations.list().catch((error: unknown) => error);
require(failure instanceof JackfieldError && failure.code === "forbidden", "errors are typed");

const headers = {
  "webhook-id": "msg_1",
  "webhook-timestamp": sentAt,
  "webhook-signature": signature,
};
const event = await jackfield.verifyWebhook("{}", headers);
require(JSON.stringify(event) === "{}", "webhooks are verified");

// biome-ignore lint/suspicious/noConsole: its output is what the test reads
console.log("done");
