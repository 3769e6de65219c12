import type {
  CompiledFunction,
  Deployment,
  DryRun,
  MetricSeries,
  MetricTotal,
  NewDeployment,
  NewDryRun,
  Operation,
  OperationCounts,
  OperationMessage,
  Problem,
  ProblemKind,
  StartedDryRun,
  StartedJob,
} from "./api-types/index.ts";
import type {
  HistogramQuery,
  MessageFilter,
  OperationFilter,
  OperationNameQuery,
  ProblemChange,
  SeriesQuery,
  TotalsQuery,
} from "./management.ts";
import { encode } from "./request-parts.ts";
import type { ChangeOptions } from "./requests.ts";
import { WebhookMethods } from "./webhook-methods.ts";

/** Functions sent as source text, and the logs of everything that ran. */
export class SourceMethods extends WebhookMethods {
  /** As it would be deployed; nothing is stored. */
  async compileFunction(body: { code: string }): Promise<CompiledFunction> {
    return await this.http.json({ method: "POST", path: "/functions/compile", body });
  }

  /** Runs source against a connection without deploying it; ask getDryRun what came of it. */
  async createDryRun(body: NewDryRun, options: ChangeOptions = {}): Promise<StartedDryRun> {
    return await this.http.json({ ...options, method: "POST", path: "/functions/dryruns", body });
  }

  async getDryRun(id: string): Promise<DryRun> {
    return await this.http.json({ method: "GET", path: `/functions/dryruns/${encode(id)}` });
  }

  /** Compiles and deploys one function from its source; ask getDeployment what came of it. */
  async createDeployment(body: NewDeployment, options: ChangeOptions = {}): Promise<StartedJob> {
    const path = "/functions/deployments";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  async getDeployment(id: string): Promise<Deployment> {
    return await this.http.json({ method: "GET", path: `/functions/deployments/${encode(id)}` });
  }

  /** Newest first. */
  async listDeployments(
    query: { page?: number; limit?: number } = {},
  ): Promise<{ data: Deployment[] }> {
    return await this.http.json({ method: "GET", path: "/functions/deployments", query });
  }

  /** Newest first; `next_cursor` is null at the end. */
  async listOperations(
    filter: OperationFilter = {},
  ): Promise<{ data: Operation[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/logs/operations", query: { ...filter } });
  }

  /** What operations can be filtered by, the most frequent first. */
  async listOperationNames(
    query: OperationNameQuery,
  ): Promise<{ data: { name: string; count: number }[] }> {
    const path = "/logs/operations/names";
    return await this.http.json({ method: "GET", path, query: { ...query } });
  }

  /** Counts or durations over time, of all operations or of the most frequent names. */
  async getMetricSeries(
    query: SeriesQuery,
  ): Promise<{ data: MetricSeries[]; from: string; to: string; step: string }> {
    return await this.http.json({ method: "GET", path: "/metrics/series", query: { ...query } });
  }

  /** How many operations ended, and how, over time. */
  async getOperationHistogram(query: HistogramQuery = {}): Promise<{
    data: OperationCounts[];
    from: string;
    to: string;
    step: string;
  }> {
    const path = "/logs/operations/histogram";
    return await this.http.json({ method: "GET", path, query: { ...query } });
  }

  /** Operations of a period, counted; of the last day unless `from` says otherwise. */
  async getMetricTotals(
    query: TotalsQuery = {},
  ): Promise<{ data: MetricTotal[]; from: string; to: string }> {
    return await this.http.json({ method: "GET", path: "/metrics/totals", query: { ...query } });
  }

  /** What is wrong in the environment, the newest first. */
  async listProblems(
    query: {
      state?: "open" | "muted" | "resolved";
      kind?: ProblemKind;
      limit?: number;
      cursor?: string;
    } = {},
  ): Promise<{ data: Problem[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/problems", query });
  }

  async getProblem(id: string): Promise<{ data: Problem }> {
    return await this.http.json({ method: "GET", path: `/problems/${encode(id)}` });
  }

  /** Mutes it, notes something, or marks it as resolved until it happens again. */
  async updateProblem(
    id: string,
    body: ProblemChange,
    options: ChangeOptions = {},
  ): Promise<{ data: Problem }> {
    const path = `/problems/${encode(id)}`;
    return await this.http.json({ ...options, method: "PATCH", path, body });
  }

  async getOperation(id: string): Promise<{ data: Operation }> {
    return await this.http.json({ method: "GET", path: operationPath(id) });
  }

  async listOperationMessages(
    id: string,
    filter: MessageFilter = {},
  ): Promise<{
    data: OperationMessage[];
    next_cursor: string | null;
    previous_cursor: string | null;
  }> {
    const path = `${operationPath(id)}/messages`;
    return await this.http.json({ method: "GET", path, query: { ...filter } });
  }
}

function operationPath(id: string): string {
  return `/logs/operations/${encode(id)}`;
}
