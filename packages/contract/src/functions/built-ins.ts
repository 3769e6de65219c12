/** Modules of Node that functions may use: they need no permission of the process. */
export const functionBuiltIns: ReadonlySet<string> = new Set([
  "assert",
  "async_hooks",
  "buffer",
  "crypto",
  "events",
  "path",
  "querystring",
  "stream",
  "stream/web",
  "string_decoder",
  "timers",
  "timers/promises",
  "url",
  "util",
  "zlib",
]);
