// The thread in which bundles are hashed. It loads no more than that needs.
import { parentPort } from "node:worker_threads";
import type { Bundle } from "../store.ts";
import { hashBundle } from "./hash-bundle.ts";

parentPort?.on("message", (bundles: readonly Bundle[]) => {
  parentPort?.postMessage(bundles.map(hashBundle));
});
