import { ActionError } from "../action-error.ts";
import { paginate } from "./paginate.ts";
import { ProxyError } from "./proxy-error.ts";
import { listRecords } from "./read-records.ts";
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
