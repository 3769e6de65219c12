import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";

const SECOND = 1000;
const MOST_RETRIES = 2;

/** What pages have read; errors that repeating cannot change are shown at once. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A platform on this machine answers while the browser has no network: only an answer tells.
      networkMode: "always",
      staleTime: 10 * SECOND,
      refetchOnReconnect: true,
      retry: (failures, error) => failures < MOST_RETRIES && isPassing(error),
      retryDelay: (attempt) => SECOND * 2 ** attempt,
    },
    mutations: { networkMode: "always", retry: false },
  },
});

function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || error.status === 502 || error.status === 503;
}
