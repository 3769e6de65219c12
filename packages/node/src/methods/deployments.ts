import type {
  Canary,
  CanaryWithFunctions,
  Deployment,
  DryRun,
  ListCanariesQuery,
  ListDeploymentsQuery,
  ListPastDeploymentsQuery,
  NewDeployment,
  NewDryRun,
  PastDeployment,
  StartedDryRun,
  StartedJob,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import type { ChangeOptions } from "../requests.ts";
import { Resource } from "./resource.ts";

/** Source that is tried without deploying it. */
export class DryRuns extends Resource {
  /** Runs source against a connection without deploying it; ask getDryRun what came of it. */
  async create(body: NewDryRun, options: ChangeOptions = {}): Promise<StartedDryRun> {
    return await this.http.json({ ...options, method: "POST", path: "/functions/dryruns", body });
  }

  async get(id: string): Promise<DryRun> {
    return await this.http.json({ method: "GET", path: `/functions/dryruns/${encode(id)}` });
  }
}

/** Source that is deployed, and what every way of deploying did. */
export class Deployments extends Resource {
  /** Compiles and deploys one function from its source; ask getDeployment what came of it. */
  async create(body: NewDeployment, options: ChangeOptions = {}): Promise<StartedJob> {
    const path = "/functions/deployments";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  async get(id: string): Promise<Deployment> {
    return await this.http.json({ method: "GET", path: `/functions/deployments/${encode(id)}` });
  }

  /** Newest first. */
  async list(query: ListDeploymentsQuery = {}): Promise<{ data: Deployment[] }> {
    return await this.http.json({ method: "GET", path: "/functions/deployments", query });
  }

  /** Of every way of deploying, newest first; `next_cursor` is null at the end. */
  async listPast(
    query: ListPastDeploymentsQuery = {},
  ): Promise<{ data: PastDeployment[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/deployments", query });
  }

  /** Makes the functions that a deployment has changed what they were before it. */
  async rollBack(id: string, options: ChangeOptions = {}): Promise<{ data: PastDeployment }> {
    const path = `/deployments/${encode(id)}/rollback`;
    return await this.http.json({ ...options, method: "POST", path });
  }
}

/** Deployments that some connections try first; the command line starts them. */
export class Canaries extends Resource {
  /** Newest first; `next_cursor` is null at the end. */
  async list(
    query: ListCanariesQuery = {},
  ): Promise<{ data: Canary[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/canaries", query });
  }

  /** With the runs of both versions. */
  async get(id: string): Promise<{ data: CanaryWithFunctions }> {
    return await this.http.json({ method: "GET", path: `/canaries/${encode(id)}` });
  }

  /** Deploys the new version for all connections now. */
  async promote(id: string, options: ChangeOptions = {}): Promise<{ data: CanaryWithFunctions }> {
    const path = `/canaries/${encode(id)}/promote`;
    return await this.http.json({ ...options, method: "POST", path });
  }

  /** Returns the chosen connections to the deployed version now. */
  async rollBack(id: string, options: ChangeOptions = {}): Promise<{ data: CanaryWithFunctions }> {
    const path = `/canaries/${encode(id)}/rollback`;
    return await this.http.json({ ...options, method: "POST", path });
  }
}
