// Owns what runs before every route: the rate limit, idempotency records, the operator's
// further spelling of names, the page that describes the API. Tables: rate_limits, kept_answers.
export { escapeHtml } from "./api-page/escape-html.ts";
export { type ApiPage, renderApiPage } from "./api-page/render-api-page.ts";
export { createIdempotency } from "./create-idempotency.ts";
export { ingressLimiter } from "./create-ingress-limiter.ts";
export { createNameAliases } from "./create-name-aliases.ts";
export { agentBucket, type Bucket, createRateLimiter, rateLimiter } from "./create-rate-limiter.ts";
export { gateway } from "./slice.ts";
export { soleSpelling, spellingsOf } from "./spelling.ts";
