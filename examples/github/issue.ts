import * as z from "zod";

/** An issue as GitHub sends it; pull requests come in the same lists, with `pull_request` set. */
export interface GithubIssue {
  id: number;
  number: number;
  title: string;
  state: string;
  user: { login: string } | null;
  labels: (string | { name: string })[];
  updated_at: string;
  html_url: string;
  pull_request?: object;
}

export const Issue = z.object({
  id: z.string(),
  number: z.number().int(),
  title: z.string(),
  isOpen: z.boolean(),
  author: z.string().nullable(),
  labels: z.array(z.string()),
  updatedAt: z.iso.datetime(),
  url: z.string(),
});

export function toIssue(issue: GithubIssue): z.infer<typeof Issue> {
  return {
    id: String(issue.id),
    number: issue.number,
    title: issue.title,
    isOpen: issue.state === "open",
    author: issue.user?.login ?? null,
    labels: issue.labels.map((label) => (typeof label === "string" ? label : label.name)),
    updatedAt: issue.updated_at,
    url: issue.html_url,
  };
}
