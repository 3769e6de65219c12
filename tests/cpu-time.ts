export {
  type Cost,
  costOf,
  cpuMsOf,
  slowness,
} from "../packages/server/src/platform/testing/cpu-time.ts";
