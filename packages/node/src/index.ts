// What a backend imports: the client, its error, the shapes of the API. Nothing but `fetch` and Web Crypto is used.
export type {
  AgentSessionTools,
  AgentTool,
  AgentToolResult,
} from "./agents/agent-session-tools.ts";
export type * from "./api-types/index.ts";
export { Jackfield, type JackfieldOptions } from "./jackfield.ts";
export { JackfieldError } from "./jackfield-error.ts";
export type * from "./management.ts";
export type * from "./requests.ts";
export type * from "./resources.ts";
export type { RevocationReport } from "./webhooks/verify-report.ts";
export {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookOptions,
} from "./webhooks/verify-webhook.ts";
export type * from "./webhooks/webhook-events.ts";
