import { ActionError } from "../action-error.ts";
import { listRecords } from "./records/read-records.ts";
import { paginate } from "./requests/paginate.ts";
import { ProxyError } from "./requests/proxy-error.ts";
import { ExecutionInterrupted, RunFailure } from "./run-failure.ts";

/** What every run's `svc` leads to; all else that it gives is made for the run. */
export const exposedObjects: readonly object[] = [
  ActionError,
  ExecutionInterrupted,
  ProxyError,
  RunFailure,
  listRecords,
  paginate,
];
