export {
  type Cost,
  costOf,
  cpuMsOf,
  slowness,
} from "../packages/server/src/foundation/testing/cpu-time.ts";
