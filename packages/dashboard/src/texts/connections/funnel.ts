/** How far end users come when they connect. */
export const english = {
  title: "Connecting, last 30 days",
  none: "Nobody has tried to connect in 30 days.",
  about: (provider: string) =>
    `Counted by day for the provider ${provider}, with all its integrations in this environment.`,
  stage: "Stage",
  stages: {
    authorization: "Sent to the provider",
    callback: "Back from the provider",
    token: "Credentials received",
    after_connect: "Connection completed",
    verification: "Credentials verified",
  },
  reached: "Reached",
  reachedBy: (stage: string, count: string) => `${stage}: ${count}`,
  succeeded: "Succeeded",
  failed: "Failed",
  lost: "Gave up",
  mostEnd: (stage: string, words: string) => `Most attempts end at “${stage}”: ${words}.`,
  losses: {
    failed: (count: string) => `${count} failed`,
    lost: (count: string) => `${count} did not come back`,
  },
  operations: "Failed attempts",
};
