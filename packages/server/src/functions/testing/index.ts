// Owns what tests of functions share: uploads, bundles, and the rows that functions hang on.
export { checkCanaries } from "../canary/check-canaries.ts";
export {
  promoteByHand,
  readCanary,
  rollBackByHand,
  startTestCanary,
} from "./stage.ts";
export { insertTestConnection, insertTestIntegration } from "./store.ts";
export { newAction, newBundle, newOnEvent, newSync, newUpload } from "./uploads.ts";
