// Owns what tests of received webhooks share: the routes on a port, what they have left in the database, and
// what each vendor sends.
export { measureReading } from "./cost-of-reading.ts";
export { type InboxServer, startInboxServer, type TestRequest } from "./inbox-server.ts";
export { type RouterCase, SECRET, type Signer, TIME } from "./router-case.ts";
export { casesAToH } from "./router-cases-a-to-h.ts";
export { casesIToZ } from "./router-cases-i-to-z.ts";
export {
  deleteEnvironment,
  insertConnection,
  listDeliveries,
  listForwards,
  listWebhookRuns,
  readMetadata,
  subscribe,
} from "./store.ts";
export { listRouters, otherKeys, readAs, type Trial, tryRouter } from "./try-router.ts";
