import { createHmac } from "node:crypto";
import * as z from "zod";
import { type Reply, replyJson, setPath } from "../exchange/write-answer.ts";
import type { VendorState } from "../vendor-state.ts";
import { type Outgoing, SAMPLE_SECRET, seconds, type WebhookScheme } from "./scheme.ts";
import { webhookSchemes } from "./schemes.ts";

const wanted = z.strictObject({
  /** The server's webhook address of the integration. */
  url: z.url({ protocol: /^https?$/ }),
  /** A sample of this vendor's unless given. */
  event: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
  /** Added to the vendor's own, or in their place. */
  headers: z.record(z.string(), z.string()).optional(),
  /** What signs, where it is not the simulator's sample. */
  secret: z.string().min(1).optional(),
});

const PATIENCE_MS = 10_000;

/** Sends an event as the vendor would, signed in its way; answers what the server said. */
export async function sendVendorWebhook(state: VendorState, given: unknown): Promise<Reply> {
  const parsed = wanted.safeParse(given);
  if (!parsed.success) {
    return replyJson({ error: "invalid_webhook", message: z.prettifyError(parsed.error) }, 400);
  }
  const { url } = parsed.data;
  const { signed, body, headers } = writeWebhook(state, parsed.data);
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return replyJson({ status: answer.status, signed, body: await answer.text() });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return replyJson({ error: "unreachable", message: `${url}: ${message}` }, 502);
  }
}

interface WrittenWebhook {
  readonly signed: boolean;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

function writeWebhook(
  state: VendorState,
  { url, event, headers, secret }: z.output<typeof wanted>,
): WrittenWebhook {
  const scheme = findScheme(state);
  const reported = reportedValues(state);
  const content = event ?? scheme?.event?.(reported) ?? (scheme === undefined ? {} : undefined);
  const isForm = scheme?.format === "form";
  const key = secret ?? secretOf(state, scheme);
  const outgoing = { url, body: write(content, isForm), secret: key, at: new Date() };
  const { headers: signature = {}, body = outgoing.body } = scheme?.sign(outgoing) ?? {};
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  return {
    signed: scheme !== undefined,
    body,
    headers: {
      ...(body === "" ? {} : { "content-type": type }),
      ...scheme?.headers?.(reported),
      ...headers,
      ...signature,
    },
  };
}

function write(content: unknown, isForm: boolean): string {
  if (content === undefined) return "";
  if (!isForm) return JSON.stringify(content);
  const fields = Object.entries({ ...Object(content) });
  return new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString();
}

/** A sample event for people to change; undefined where all of it is in the headers, or none is known. */
export function sampleEvent(state: VendorState): unknown {
  return findScheme(state)?.event?.(reportedValues(state));
}

/** What the integration has to hold as `webhook_secret`; undefined where something else signs. */
export function sampleWebhookSecret(provider: VendorState["provider"]): string | undefined {
  const scheme = findScheme({ provider });
  if (scheme === undefined || scheme.signsWith !== undefined) return undefined;
  return scheme.secret?.() ?? SAMPLE_SECRET;
}

function secretOf({ samples }: VendorState, scheme: WebhookScheme | undefined): string {
  return scheme?.signsWith === "client_secret"
    ? samples.client.secret
    : (scheme?.secret?.() ?? SAMPLE_SECRET);
}

function reportedValues({ samples }: VendorState): Readonly<Record<string, string>> {
  return { ...samples.connectionConfig, ...samples.reported };
}

function findScheme({ provider }: Pick<VendorState, "provider">): WebhookScheme | undefined {
  const { router = "", hmac } = provider.webhooks ?? {};
  if (hmac !== undefined) return schemeOf(hmac);
  return Object.hasOwn(webhookSchemes, router) ? webhookSchemes[router] : undefined;
}

type HmacData = NonNullable<NonNullable<VendorState["provider"]["webhooks"]>["hmac"]>;

/** The way to sign that an entry's data describe. */
function schemeOf(data: HmacData): WebhookScheme {
  return {
    ...(data.secret === "client" ? { signsWith: "client_secret" } : {}),
    sign: (event) => {
      const digest = createHmac(data.algorithm, event.secret).update(signedText(data, event));
      return {
        headers: {
          [data.header]: `${data.prefix ?? ""}${digest.digest(data.encoding)}`,
          ...(data.timestamp_header === undefined
            ? {}
            : { [data.timestamp_header]: seconds(event.at) }),
        },
      };
    },
    event: (reported) => sampleFrom(data, reported),
  };
}

/** An event that holds what the server reads of it. */
function sampleFrom({ type, match = [] }: HmacData, reported: Readonly<Record<string, string>>) {
  const event: Record<string, unknown> = {};
  const put = (place: string | undefined, value: string | undefined) => {
    if (place === undefined || place.startsWith("header:") || value === undefined) return;
    setPath(event, place, value);
  };
  put(type, "sample.event");
  for (const { value, property } of match) put(value, reported[property.replace(/^config\./, "")]);
  return event;
}

function signedText({ signed = "{body}" }: HmacData, { body, url, at }: Outgoing): string {
  const values: Readonly<Record<string, string>> = {
    body,
    url,
    method: "POST",
    timestamp: seconds(at),
  };
  return signed.replaceAll(
    /\{(body|url|method|timestamp)\}/g,
    (_whole, name: string) => values[name] ?? "",
  );
}
