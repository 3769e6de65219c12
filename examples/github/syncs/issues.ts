import { createSync } from "jackfield";
import * as z from "zod";
import { type GithubIssue, Issue, toIssue } from "../issue.js";

const issueEvent = z.object({
  action: z.string(),
  issue: z.looseObject({ id: z.number() }),
});

/** Pages with a Link header, only what changed since the checkpoint, and webhooks in between. */
export default createSync({
  description: "Copies the issues of the repository that the connection's metadata names.",
  frequency: "every 15 minutes",
  autoStart: true,
  models: { Issue },
  metadata: z.object({ owner: z.string(), repo: z.string() }),
  checkpoint: z.object({ since: z.string() }),
  webhookSubscriptions: ["issues"],

  exec: async (svc) => {
    const metadata = await svc.getMetadata();
    if (metadata === null) {
      throw new svc.ActionError({ message: "Set owner and repo in the connection's metadata." });
    }
    const checkpoint = await svc.getCheckpoint();
    // A webhook may bring a fresher state than a page that was read before it.
    await svc.setMergingStrategy({ strategy: "ignore_if_modified_after" }, "Issue");
    const pages = svc.paginate<GithubIssue>({
      endpoint: `/repos/${metadata.owner}/${metadata.repo}/issues`,
      params: { state: "all", sort: "updated", direction: "asc", since: checkpoint?.since },
      headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
      retries: 3,
      paginate: {
        type: "link",
        link_rel_in_response_header: "next",
        limit: 3,
        limit_name_in_request: "per_page",
      },
    });

    for await (const page of pages) {
      const issues = page.filter((issue) => issue.pull_request === undefined);
      await svc.batchSave(issues.map(toIssue), "Issue");
      const last = page.at(-1);
      if (last !== undefined) await svc.saveCheckpoint({ since: last.updated_at });
    }
  },

  onWebhook: async (svc, payload: { action: string; issue: GithubIssue }) => {
    const { action } = issueEvent.parse(payload);
    const issue = toIssue(payload.issue);
    if (action === "deleted" || action === "transferred") {
      await svc.batchDelete([issue], "Issue");
      return;
    }
    await svc.batchSave([issue], "Issue");
  },
});
