import type { ProviderAnswer, ProviderRequest } from "./api-types/index.ts";
import { callProvider } from "./calls/call-provider.ts";
import { HttpClient } from "./calls/http.ts";
import { defineFlatMethods, type FlatMethods } from "./deprecated/flat-names.ts";
import { type PositionalMethods, positionalMethods } from "./deprecated/positional-methods.ts";
import { JackfieldError } from "./jackfield-error.ts";
import { Namespaces } from "./namespaces.ts";
import type { ChangeOptions, ProxyConfiguration } from "./requests.ts";
import type { ProviderResponse } from "./resources.ts";
import {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookOptions,
} from "./webhooks/verify-webhook.ts";
import type { WebhookEvent } from "./webhooks/webhook-events.ts";

export interface JackfieldOptions {
  /** Key of an environment. */
  readonly apiKey?: string;
  /** @deprecated Use `apiKey`. */
  readonly secretKey?: string;
  /** Address of the server; `http://127.0.0.1:3003` unless said. */
  readonly host?: string;
  /** `whsec_…` of the environment, for verifyWebhook. */
  readonly webhookSigningKey?: string;
}

type ProxyCall = Omit<ProxyConfiguration, "method">;

/** One environment of a Jackfield installation. Every method throws JackfieldError when its call fails. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the methods are defined below, and a test calls each
export class Jackfield extends Namespaces {
  readonly #http: HttpClient;
  readonly #webhookSigningKey: string | undefined;

  constructor(options: JackfieldOptions) {
    const { host = "http://127.0.0.1:3003", webhookSigningKey } = options;
    const apiKey = options.apiKey ?? options.secretKey;
    if (apiKey === undefined || apiKey === "") {
      const message = "Pass the key of an environment as `apiKey`.";
      throw new JackfieldError({ code: "missing_api_key", message });
    }
    const http = new HttpClient(host, apiKey);
    super(http);
    this.#http = http;
    this.#webhookSigningKey = webhookSigningKey;
  }

  /** A call to the provider's API; `provider_error` with the answer when the provider refuses. */
  async proxy<Data>(config: ProxyConfiguration): Promise<ProviderResponse<Data>> {
    return await callProvider(this.#http, config);
  }

  /** The same with the call and its answer as data: any status of the provider is an answer. Up to 2 MiB. */
  async sendProxyRequest(
    body: ProviderRequest,
    options: ChangeOptions = {},
  ): Promise<{ data: ProviderAnswer }> {
    return await this.#http.json({ ...options, method: "POST", path: "/proxy-requests", body });
  }

  async get<Data>(config: ProxyCall): Promise<ProviderResponse<Data>> {
    return await this.proxy({ ...config, method: "GET" });
  }

  async post<Data>(config: ProxyCall): Promise<ProviderResponse<Data>> {
    return await this.proxy({ ...config, method: "POST" });
  }

  async put<Data>(config: ProxyCall): Promise<ProviderResponse<Data>> {
    return await this.proxy({ ...config, method: "PUT" });
  }

  async patch<Data>(config: ProxyCall): Promise<ProviderResponse<Data>> {
    return await this.proxy({ ...config, method: "PATCH" });
  }

  async delete<Data>(config: ProxyCall): Promise<ProviderResponse<Data>> {
    return await this.proxy({ ...config, method: "DELETE" });
  }

  /**
   * The event of a webhook that the server sent, at most five minutes ago. `body` is text or bytes as received.
   * Throws JackfieldError, whose code tells what is wrong (`webhook_signature_mismatch`, …).
   */
  async verifyWebhook(
    body: ReceivedWebhook["body"],
    headers: WebhookHeaders,
    options: Partial<WebhookOptions> = {},
  ): Promise<WebhookEvent> {
    const signingKey = options.signingKey ?? this.#webhookSigningKey;
    if (signingKey === undefined || signingKey === "") {
      const message = "Pass `webhookSigningKey` to the client to verify webhooks.";
      throw new JackfieldError({ code: "missing_webhook_signing_key", message });
    }
    return await verifyWebhook({ ...options, body, headers, signingKey });
  }

  /** @deprecated Use verifyWebhook, which returns the event. Throws like it; true otherwise. */
  async verifyIncomingWebhookRequest(
    body: ReceivedWebhook["body"],
    headers: WebhookHeaders,
    options: Partial<WebhookOptions> = {},
  ): Promise<true> {
    await this.verifyWebhook(body, headers, options);
    return true;
  }
}

/** The names that calls had before there were namespaces. */
export interface Jackfield extends FlatMethods, PositionalMethods {}

defineFlatMethods(Jackfield.prototype);
Object.assign(Jackfield.prototype, positionalMethods);
