import type {
  ListProblemsQuery,
  ListTapesQuery,
  MetricSeries,
  MetricTotal,
  Operation,
  OperationCounts,
  OperationMessage,
  Problem,
  RecordCounts,
  Success,
  Tape,
  TapeRule,
  TapeSummary,
} from "../api-types/index.ts";
import { encode, integrationPath } from "../calls/request-parts.ts";
import type {
  HistogramQuery,
  MessageFilter,
  OperationFilter,
  OperationNameQuery,
  ProblemChange,
  RecordMetricsQuery,
  SeriesQuery,
  TotalsQuery,
} from "../management.ts";
import type { ChangeOptions, FunctionName } from "../requests.ts";
import { Resource } from "./resource.ts";

/** What ran, and what it logged. */
export class Operations extends Resource {
  /** Newest first; `next_cursor` is null at the end. */
  async list(
    filter: OperationFilter = {},
  ): Promise<{ data: Operation[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/logs/operations", query: filter });
  }

  async get(id: string): Promise<{ data: Operation }> {
    return await this.http.json({ method: "GET", path: operationPath(id) });
  }

  async listMessages(
    id: string,
    filter: MessageFilter = {},
  ): Promise<{
    data: OperationMessage[];
    next_cursor: string | null;
    previous_cursor: string | null;
  }> {
    const path = `${operationPath(id)}/messages`;
    return await this.http.json({ method: "GET", path, query: filter });
  }

  /** What operations can be filtered by, the most frequent first. */
  async listNames(query: OperationNameQuery): Promise<{ data: { name: string; count: number }[] }> {
    const path = "/logs/operations/names";
    return await this.http.json({ method: "GET", path, query });
  }

  /** How many operations ended, and how, over time. */
  async getHistogram(query: HistogramQuery = {}): Promise<{
    data: OperationCounts[];
    from: string;
    to: string;
    step: string;
  }> {
    const path = "/logs/operations/histogram";
    return await this.http.json({ method: "GET", path, query });
  }
}

/** What ran, in figures. */
export class Metrics extends Resource {
  /** Counts or durations over time, of all operations or of the most frequent names. */
  async getSeries(
    query: SeriesQuery,
  ): Promise<{ data: MetricSeries[]; from: string; to: string; step: string }> {
    return await this.http.json({ method: "GET", path: "/metrics/series", query });
  }

  /** Operations of a period, counted; of the last day unless `from` says otherwise. */
  async getTotals(
    query: TotalsQuery = {},
  ): Promise<{ data: MetricTotal[]; from: string; to: string }> {
    return await this.http.json({ method: "GET", path: "/metrics/totals", query });
  }

  /** Records that were added, updated and deleted, over time and in total; of the last hour unless `from` says otherwise. */
  async getRecords(query: RecordMetricsQuery = {}): Promise<{
    data: RecordCounts[];
    total: Omit<RecordCounts, "at">;
    from: string;
    to: string;
    step: string;
  }> {
    return await this.http.json({ method: "GET", path: "/metrics/records", query });
  }
}

/** What is wrong in the environment. */
export class Problems extends Resource {
  /** What is wrong in the environment, the newest first. */
  async list(
    query: ListProblemsQuery = {},
  ): Promise<{ data: Problem[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/problems", query });
  }

  async get(id: string): Promise<{ data: Problem }> {
    return await this.http.json({ method: "GET", path: `/problems/${encode(id)}` });
  }

  /** Mutes it, notes something, or marks it as resolved until it happens again. */
  async update(
    id: string,
    body: ProblemChange,
    options: ChangeOptions = {},
  ): Promise<{ data: Problem }> {
    const path = `/problems/${encode(id)}`;
    return await this.http.json({ ...options, method: "PATCH", path, body });
  }
}

function operationPath(id: string): string {
  return `/logs/operations/${encode(id)}`;
}

/** Recorded runs, and which runs are recorded. */
export class Tapes extends Resource {
  /** Newest first; `next_cursor` is null at the end. */
  async list(
    query: ListTapesQuery = {},
  ): Promise<{ data: TapeSummary[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/tapes", query });
  }

  async get(operationId: string): Promise<{ data: Tape }> {
    return await this.http.json({ method: "GET", path: tapePath(operationId) });
  }

  async delete(operationId: string): Promise<{ data: Success }> {
    return await this.http.json({ method: "DELETE", path: tapePath(operationId) });
  }

  async listRules(): Promise<{ data: TapeRule[] }> {
    return await this.http.json({ method: "GET", path: "/tape-rules" });
  }

  /** Records runs of a function: a share of them, the next one that fails, or both, for 24 hours or as many as given. */
  async setRule(
    { type, ...named }: FunctionName,
    rule: { sample?: number; next_failure?: boolean; hours?: number },
  ): Promise<{ data: TapeRule }> {
    const path = rulePath(named);
    return await this.http.json({ method: "PUT", path, query: { type }, body: rule });
  }

  async endRule({ type, ...named }: FunctionName): Promise<{ data: Success }> {
    return await this.http.json({ method: "DELETE", path: rulePath(named), query: { type } });
  }
}

function tapePath(operationId: string): string {
  return `/operations/${encode(operationId)}/tape`;
}

function rulePath({ uniqueKey, name }: Pick<FunctionName, "uniqueKey" | "name">): string {
  return `${integrationPath(uniqueKey)}/functions/${encode(name)}/tape-rule`;
}
