import type { RequestListener } from "node:http";
import { Patience, REQUEST_PATIENCE_MS, withPatience } from "../db/index.ts";

/** Bounds how long each request waits for the database in all. */
export function boundWaits(next: RequestListener): RequestListener {
  return (request, response) => {
    const patience = new Patience(REQUEST_PATIENCE_MS);
    response.once("close", () => patience.end());
    withPatience(patience, () => next(request, response));
  };
}
