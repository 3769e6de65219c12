import { readForm } from "../match/body-shape.ts";
import { type InboundRequest, type Router, UnreadableWebhook } from "../match/router.ts";
import {
  at,
  bodyOf,
  header,
  hmacProof,
  isObject,
  joined,
  literal,
  matches,
  readJson,
  readObject,
  secondsIn,
  texts,
} from "../match/router-kit.ts";

/** Events are JSON; commands are forms; what users click on is JSON in a form's field. */
function readBody(request: InboundRequest): Readonly<Record<string, unknown>> {
  if (!(request.headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded")) {
    return readObject(request);
  }
  const form = readForm(request.body);
  const payload = form.get("payload");
  if (payload === null) return Object.fromEntries(form);
  const value = readJson({ ...request, body: Buffer.from(payload) });
  if (!isObject(value)) throw new UnreadableWebhook("`payload` has to be a JSON object");
  return value;
}

/** Source: Slack docs, "Verifying requests from Slack", "The Events API", "Handling user interaction". */
export const slack: Router = {
  proof: hmacProof({
    header: "x-slack-signature",
    prefix: "v0=",
    signed: joined(literal("v0:"), header("x-slack-request-timestamp"), literal(":"), bodyOf),
    sentAt: secondsIn("x-slack-request-timestamp"),
  }),
  matchesOn: ["team.id"],
  handshake: (request) => {
    if (request.body.byteLength === 0) return undefined;
    const body = readBody(request);
    if (body["type"] !== "url_verification") return undefined;
    return { status: 200, contentType: "text/plain", body: texts(body["challenge"])[0] ?? "" };
  },
  read: (request) => {
    const payload = readBody(request);
    const team = texts(payload["team_id"], at(payload, "team", "id"))[0];
    return [
      {
        payload,
        types: texts(payload["type"], at(payload, "event", "type"), payload["command"]),
        id: texts(payload["event_id"])[0],
        match: matches(["config.team.id", team]),
      },
    ];
  },
};
