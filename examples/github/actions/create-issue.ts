import { createAction } from "jackfield";
import * as z from "zod";
import { type GithubIssue, Issue, toIssue } from "../issue.js";

export default createAction({
  description: [
    "Opens an issue.",
    "",
    "- owner: user or organization that the repository belongs to",
    "- repo: name of the repository",
    "- title: one line that says what is wrong",
    "- body: everything else, as Markdown",
  ].join("\n"),
  input: z.object({
    owner: z.string().min(1),
    repo: z.string().min(1),
    title: z.string().min(1).max(256),
    body: z.string().optional(),
    labels: z.array(z.string()).default([]),
  }),
  output: Issue,
  scopes: ["repo"],

  exec: async (svc, { owner, repo, title, body, labels }) => {
    const { data } = await svc.post<GithubIssue>({
      endpoint: `/repos/${owner}/${repo}/issues`,
      headers: { accept: "application/vnd.github+json" },
      data: { title, body, labels },
    });
    return toIssue(data);
  },
});
