import { counted } from "../counted.ts";

/** How an environment is doing. */
export const english = {
  title: "Home",
  range: "Time",
  ranges: { "1h": "Last hour", "24h": "Last 24 hours", "7d": "Last 7 days", "30d": "Last 30 days" },
  problems: "Problems",
  allProblems: "All problems",
  noProblems: "Nothing is broken.",
  problemCount: (count: string) => `${count} open`,
  connections: "Connections",
  working: (good: string, total: string) => `${good} of ${total} authorized`,
  noConnections: "No connection yet",
  reauthorize: (count: string) => `${count} must be authorized again`,
  retrying: (count: string) => `${count} retrying`,
  pending: (count: string) => `${count} pending`,
  operations: "Operations",
  failed: (count: string) => `${count} failed`,
  noneFailed: "none failed",
  before: {
    "1h": "the hour before",
    "24h": "the day before",
    "7d": "the week before",
    "30d": "the 30 days before",
  },
  change: (share: string, isMore: boolean, before: string) =>
    `${share} ${isMore ? "more" : "fewer"} than ${before}`,
  changeOfTime: (share: string, isMore: boolean, before: string) =>
    `${share} ${isMore ? "slower" : "faster"} than ${before}`,
  sameAs: (before: string) => `as ${before}`,
  sparkOperations: (most: string) => `Operations over time, at most ${most} in a step`,
  sparkTook: (most: string) => `How long 95 % took over time, at most ${most}`,
  took: "How long they took",
  p50: (span: string) => `half within ${span}`,
  p95: (span: string) => `95 % within ${span}`,
  longest: (span: string, time: string) =>
    `Slowest: 95 % of operations within ${span}, from ${time}.`,
  halfOf: "half of them within",
  mostOf: "95 % within",
  chart: "Operations over time",
  chartSentence: (total: string, failed: string, range: string) =>
    `${range}: ${counted(total, "operation")} ended, of which ${failed} failed.`,
  peak: (count: string, time: string) => `Busiest: ${count}, from ${time}.`,
  noOperations: "No operation ended in this time.",
  success: "success",
  bad: "failed or timed out",
  cancelled: "cancelled",
  totals: "By integration",
  integration: "Integration",
  none: "without an integration",
  rest: "all others",
  count: "Operations",
  failures: "Failed",
  share: "Succeeded",
  duration: "95 % within",
  firstTitle: "Nothing has happened here yet",
  firstText:
    "Add an integration, connect an account, and call its API. What happens then is counted here.",
  firstPlayed:
    "Try the whole path in three minutes, with a HubSpot that this server plays on your machine. Or add a provider that you use.",
  firstSimulated: "Try it with a simulated HubSpot",
  firstAction: "Open the catalogue",
};
