// Owns calls to providers with a connection's credentials: streamed for HTTP, whole for functions. No tables.

export { type FastPathOptions, withFastPath } from "./fast-path.ts";
export { type QuotaWaiting, quotaWaiting } from "./hooks.ts";
export { proxyRuntime } from "./runtime.ts";
export { proxy } from "./slice.ts";
