import { escapeHtml, renderVendorPage } from "../pages.ts";
import type { ConsentRequest } from "./authorization/authorize.ts";
import type { Stage } from "./exchange/received.ts";
import type { Reply } from "./exchange/write-answer.ts";
import { faults } from "./faults.ts";
import type { VendorState } from "./vendor-state.ts";
import { sampleEvent } from "./webhooks/send-webhook.ts";

/** The vendor's pages for people: consent, what is wrong, and the simulator's switches. */

/** Asks the end user; the form is sent to the address at which it stands. */
export function renderVendorConsent(
  { provider, faults: { coop } }: VendorState,
  { scopes, returnsTo }: ConsentRequest,
): Reply {
  const listed = scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join("");
  const asks =
    listed === "" ? "<p>No permissions are named.</p>" : `<p>It asks for:</p><ul>${listed}</ul>`;
  const host = URL.parse(returnsTo)?.host ?? returnsTo;
  const content = `<h1>An app wants to use your ${escapeHtml(provider.display_name)} account</h1>
<p>You will be sent back to ${escapeHtml(host)}.</p>
${asks}
<form method="post">
<button name="action" value="allow">Allow</button>
<button class="quiet" name="action" value="deny">Deny</button>
</form>
<p class="hint">This is a simulator on your machine, not ${escapeHtml(provider.display_name)}.</p>`;
  return page(provider.display_name, { title: "Allow access", content, coop });
}

export function renderVendorProblem(
  { provider, faults: { coop } }: VendorState,
  { stage, message }: { stage: Stage; message: string },
): Reply {
  const content = `<h1>This request is wrong</h1>
<p>At the stage <b>${stage}</b>: ${escapeHtml(message)}.</p>
<p class="hint">The simulator checks what the catalogue says of ${escapeHtml(provider.display_name)}.</p>`;
  return { ...page(provider.display_name, { title: "Wrong request", content, coop }), status: 400 };
}

interface WebhookForm {
  readonly webhookUrl: string;
  /** As it was typed; a sample where it is left out. */
  readonly event?: string;
  /** What came of the last one. */
  readonly outcome?: string;
}

/** What happened so far, a form for webhooks, and the switches for faults. */
export function renderControlPage(state: VendorState, form: WebhookForm): Reply {
  const { provider, passed, refusals } = state;
  const counts = [...passed].map(([stage, count]) => `<li>${stage}: ${count}</li>`).join("");
  const wrong = refusals
    .slice(-10)
    .map(({ stage, message }) => `<li><b>${stage}</b>: ${escapeHtml(message)}</li>`)
    .join("");
  const content = `<h1>${escapeHtml(provider.display_name)}, simulated</h1>
<h2>What went well</h2>
${counts === "" ? "<p>Nothing has arrived yet.</p>" : `<ul>${counts}</ul>`}
<h2>What was wrong</h2>
${wrong === "" ? "<p>Nothing so far.</p>" : `<ul class="error">${wrong}</ul>`}
${renderWebhookForm(state, form)}
<h2>Faults</h2>
<form method="post" action="/.simulator/faults">
${Object.keys(faults.shape)
  .map((name) => renderSwitch(state, name))
  .join("")}
<button>Set the faults</button>
</form>`;
  return page(provider.display_name, { title: "Simulator", content, coop: false });
}

function renderWebhookForm(
  state: VendorState,
  { webhookUrl, event = toSampleText(state), outcome }: WebhookForm,
): string {
  const reported = outcome === undefined ? "" : `<p role="status">${escapeHtml(outcome)}</p>`;
  return `<h2>Webhook</h2>${reported}
<form method="post" action="/.simulator/webhook">
<label for="url">Address: the integration's webhook_url</label>
<input id="url" name="url" type="url" required value="${escapeHtml(webhookUrl)}">
<label for="event">Event, as JSON</label>
<textarea id="event" name="event" rows="8">${escapeHtml(event)}</textarea>
<button>Send it, signed</button>
</form>`;
}

function toSampleText(state: VendorState): string {
  const event = sampleEvent(state);
  return event === undefined ? "" : JSON.stringify(event, undefined, 2);
}

const choices: Readonly<Record<string, readonly string[]>> = {
  rotation: ["", "keep", "omit", "rotate", "reuse_detection"],
  rate_limit: [
    "off",
    "entry",
    "retry-after-seconds",
    "retry-after-date",
    "epoch-seconds",
    "epoch-ms",
  ],
};

const labels: Readonly<Record<string, string>> = {
  token_life_s: "Life of access tokens, in seconds",
  expire_tokens: "Refuse the access tokens that are out",
  revoke_grants: "End the connections that there are",
  refuse_client: "Refuse the OAuth client",
  rotation: "What a refresh does with the refresh token",
  rate_limit: "Refuse calls with 429, and tell the time in",
  rate_limit_s: "Seconds for which they are refused",
  app_quota: "Calls of all connections that a window takes",
  app_quota_s: "Length of that window, in seconds",
  error_in_200: "Answer calls with 200 and an error",
  token_error_in_200: "Answer token requests with 200 and an error",
  slow_s: "Seconds before an answer begins",
  cut: "Break answers off in the middle",
  status: "Answer calls with this status",
  coop: "Cut the consent page off from its opener",
};

function renderSwitch({ faults: now }: VendorState, name: string): string {
  const values: Readonly<Record<string, unknown>> = now;
  const value = values[name];
  const label = `<label for="${name}">${labels[name] ?? name}</label>`;
  const options = choices[name];
  if (options !== undefined) {
    const items = options
      .map(
        (option) =>
          `<option value="${option}"${option === (value ?? "") ? " selected" : ""}>${option === "" ? "as this vendor does" : option}</option>`,
      )
      .join("");
    return `${label}<select id="${name}" name="${name}">${items}</select>`;
  }
  if (typeof value === "boolean") {
    return `<label class="switch"><input type="checkbox" name="${name}"${value ? " checked" : ""}> ${labels[name] ?? name}</label>`;
  }
  return `${label}<input id="${name}" name="${name}" inputmode="decimal" value="${String(value ?? "")}">`;
}

function page(
  vendor: string,
  { title, content, coop }: { title: string; content: string; coop: boolean },
): Reply {
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
      ...(coop ? { "cross-origin-opener-policy": "same-origin" } : {}),
    },
    body: renderVendorPage(vendor, title, content),
  };
}
