import { faults, noFaults } from "./faults.ts";
import { sendVendorWebhook } from "./send-vendor-webhook.ts";
import { renderControlPage } from "./vendor-pages.ts";
import type { VendorState } from "./vendor-state.ts";
import { type Reply, replyJson } from "./write-answer.ts";

interface ControlRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** The simulator's own page and API, under `/.simulator`; undefined for what is the vendor's. */
export function answerControl(
  state: VendorState,
  { method, url, body }: ControlRequest,
): Reply | Promise<Reply> | undefined {
  const path = url.split("?")[0];
  if (path === "/" && method === "GET")
    return { status: 302, headers: { location: "/.simulator" }, body: "" };
  switch (`${method} ${path}`) {
    case "GET /.simulator":
      return renderControlPage(state);
    case "GET /.simulator/faults":
      return replyJson(state.faults);
    case "PUT /.simulator/faults":
      return setFaults(state, body);
    case "POST /.simulator/faults":
      setFaults(state, JSON.stringify(readForm(body)));
      return { status: 303, headers: { location: "/.simulator" }, body: "" };
    case "POST /.simulator/webhook":
      return sendVendorWebhook(state, parse(body));
    case "GET /.simulator/journal":
      return replyJson({ passed: Object.fromEntries(state.passed), refusals: state.refusals });
    default:
      return path?.startsWith("/.simulator") === true
        ? replyJson(
            {
              error: "not_found",
              message: "The simulator has /.simulator, /.simulator/faults and /.simulator/journal.",
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
  state.faults = parsed.data;
  state.limitedUntil = undefined;
  return replyJson(state.faults);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return undefined;
  }
}

/** What a form sends is text: numbers and switches are told by what the fault is without it. */
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
