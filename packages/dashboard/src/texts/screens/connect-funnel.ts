/** How far end users come when they connect. */
const english = {
  title: "Connecting, last 30 days",
  none: "No session has offered this integration in the last 30 days.",
  about:
    "Each session counts once for each step, also after a reload or in several tabs. Sessions that are still open count as left until they continue.",
  step: "Step",
  steps: {
    sessions: "Session created",
    opened: "Page opened",
    chosen: "Integration chosen",
    started: "Authorization started",
    completed: "Connected",
  },
  reached: "Reached",
  reachedBy: (step: string, count: string) => `${step}: ${count}`,
  sessions: "Sessions",
  lost: "Left before",
  share: (count: string, percent: string) => `${count} (${percent})`,
  ended: (failed: string, abandoned: string) =>
    `Of those that started and did not connect, ${failed} failed and ${abandoned} left at the provider or in the form.`,
  failures: "Why they failed",
  operations: "Failed attempts",
};

/** Loaded with the screens that show them. */
export const connectFunnelTexts = { english };
