import type { Approval } from "../../data/environment/approvals.ts";
import type { Tone } from "../../parts/badge.tsx";
import type { Target } from "../../parts/go.tsx";
import { homeOf } from "../../start/environment-address.ts";

export const approvalTones: Readonly<Record<Approval["state"], Tone>> = {
  waiting: "warn",
  approved: "run",
  denied: "bad",
  used: "good",
  expired: "idle",
};

export function approvalsPath(environment: string): string {
  return `${homeOf(environment)}/approvals`;
}

export function approvalPage(environment: string, id: string): Target {
  return { to: `${approvalsPath(environment)}/${encodeURIComponent(id)}` };
}
