// Owns what tests of several slices share: routes behind real API keys.
export { type Answer, type KeyedServer, startKeyedServer } from "./keyed-server.ts";
export { type TestApp, testApp } from "./test-app.ts";
export { testServer } from "./test-server.ts";
