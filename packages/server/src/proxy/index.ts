// Owns calls to providers with a connection's credentials: streamed for HTTP, whole for functions. No tables.

export { findPathBelowBase } from "./below-base.ts";
export { callProvider, type ProviderAnswer } from "./call-provider.ts";
export { type FastPathOptions, withFastPath } from "./fast-path.ts";
export { type QuotaWaiting, quotaWaiting } from "./hooks.ts";
export { takeCallSlot } from "./limits/call-slots.ts";
export { proxyRuntime } from "./runtime.ts";
export { proxy } from "./slice.ts";
export { type StreamedAnswer, streamProvider } from "./stream-provider.ts";
