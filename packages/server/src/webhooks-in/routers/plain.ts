import { readForm } from "../match/body-shape.ts";
import { type InboundRequest, type Router, UnreadableWebhook } from "../match/router.ts";
import { readJson } from "../match/router-kit.ts";

/** Takes what comes and matches nothing, for providers whose webhooks nobody has described. */
export const plain: Router = {
  read: (request) => [{ payload: readPayload(request), types: [], match: [] }],
};

function readPayload(request: InboundRequest): unknown {
  const { headers, body } = request;
  if (body.byteLength === 0) return headers;
  if ((headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded")) {
    return Object.fromEntries(readForm(body));
  }
  try {
    return readJson(request);
  } catch (error) {
    if (error instanceof UnreadableWebhook) return { body: body.toString() };
    throw error;
  }
}
