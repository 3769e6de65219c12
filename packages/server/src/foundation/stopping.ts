import { serverState } from "./server-state.ts";

/** Aborted when the server begins to stop: streams of events end, and their clients come again. */
export const stopping = serverState(() => new AbortController());
