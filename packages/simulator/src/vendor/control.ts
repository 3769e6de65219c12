import { type Reply, replyJson } from "./exchange/write-answer.ts";
import { faults, noFaults } from "./faults.ts";
import { renderControlPage } from "./vendor-pages.ts";
import { changeFaults, type VendorState } from "./vendor-state.ts";
import { sendVendorWebhook } from "./webhooks/send-webhook.ts";

interface ControlRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  /** Whether a page of another site has sent it. */
  readonly isElsewhere: boolean;
}

/** The simulator's own page and API, under `/.simulator`; undefined for paths of the vendor. */
export function answerControl(
  state: VendorState,
  { method, url, body, isElsewhere }: ControlRequest,
): Reply | Promise<Reply> | undefined {
  const [path, search] = url.split("?");
  if (isElsewhere && method !== "GET" && path?.startsWith("/.simulator") === true) {
    return replyJson({ error: "refused", message: "Another site's page has sent this." }, 403);
  }
  if (path === "/" && method === "GET")
    return { status: 302, headers: { location: "/.simulator" }, body: "" };
  switch (`${method} ${path}`) {
    case "GET /.simulator":
      return renderControlPage(state, {
        webhookUrl: new URLSearchParams(search).get("webhook_url") ?? "",
      });
    case "GET /.simulator/faults":
      return replyJson(state.faults);
    case "PUT /.simulator/faults":
      return setFaults(state, body);
    case "POST /.simulator/faults":
      setFaults(state, JSON.stringify(readForm(body)));
      return { status: 303, headers: { location: "/.simulator" }, body: "" };
    case "POST /.simulator/webhook":
      return body.trimStart().startsWith("{")
        ? sendVendorWebhook(state, parse(body))
        : sendFromPage(state, new URLSearchParams(body));
    case "GET /.simulator/journal":
      return replyJson({
        passed: Object.fromEntries(state.passed),
        refusals: state.refusals,
        over_quota: state.overQuota,
      });
    default:
      return path?.startsWith("/.simulator") === true
        ? replyJson(
            {
              error: "not_found",
              message:
                "The simulator has /.simulator, and below it /faults, /webhook and /journal.",
            },
            404,
          )
        : undefined;
  }
}

function setFaults(state: VendorState, body: string): Reply {
  const parsed = faults.safeParse(parse(body));
  if (!parsed.success) {
    const errors = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    return replyJson({ error: "invalid_faults", errors }, 400);
  }
  changeFaults(state, parsed.data);
  return replyJson(state.faults);
}

async function sendFromPage(state: VendorState, form: URLSearchParams): Promise<Reply> {
  const webhookUrl = form.get("url") ?? "";
  const event = form.get("event") ?? "";
  const { body } = await sendVendorWebhook(state, {
    url: webhookUrl,
    ...(event.trim() === "" ? {} : { event: parse(event) ?? event }),
  });
  return renderControlPage(state, { webhookUrl, event, outcome: String(body) });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return undefined;
  }
}

/** What a form sends is text: the default of a fault shows which are switches, the text which are numbers. */
function readForm(body: string): Record<string, unknown> {
  const entries = [...new URLSearchParams(body)].filter(([, value]) => value !== "");
  const known: Readonly<Record<string, unknown>> = noFaults;
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof known[name] === "boolean"
        ? value === "on"
        : /^\d+(\.\d+)?$/.test(value)
          ? Number(value)
          : value,
    ]),
  );
}
