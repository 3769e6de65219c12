import type { HttpClient } from "../calls/http.ts";

/** What the calls of one subject have in common. */
export abstract class Resource {
  protected readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }
}
