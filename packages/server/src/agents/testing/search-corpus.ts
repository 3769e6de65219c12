import type { SearchedTool } from "../catalogue/search-tools.ts";
import { toolNameOf } from "../catalogue/tool-name.ts";

/** Kinds of services: those of the kind, and what each of them has, with how its authors and how people call it. */
const kinds: Readonly<
  Record<string, { services: string; things: Readonly<Record<string, readonly [string, string]>> }>
> = {
  crm: {
    services: "HubSpot,Salesforce,Pipedrive,Zoho CRM",
    things: {
      contact: ["a person you sell to", "customer contact"],
      company: ["an organisation with its domain", "company"],
      deal: ["an opportunity in a pipeline, with amount and stage", "sales opportunity"],
      note: ["a text on a record", "note on a record"],
      task: ["a to-do with an owner and a due date", "to-do"],
      quote: ["an offer with prices", "price quote"],
      pipeline: ["the stages that deals go through", "deal pipeline"],
    },
  },
  chat: {
    services: "Slack,Microsoft Teams,Discord,Mattermost",
    things: {
      message: ["a text in a channel", "channel message"],
      channel: ["a room where a team talks", "channel"],
      reaction: ["an emoji on a message", "emoji reaction"],
      user: ["a member of the workspace", "workspace member"],
      reminder: ["a note that comes back at a time", "reminder"],
      thread: ["the replies to a message", "thread of replies"],
      bookmark: ["a link pinned to a channel", "pinned bookmark"],
    },
  },
  mail: {
    services: "Gmail,Outlook,Front,Fastmail",
    things: {
      email: ["a message in a mailbox", "e-mail"],
      draft: ["a mail that is not sent yet", "unsent draft"],
      label: ["a mark on mails", "label"],
      folder: ["where mails are kept", "mail folder"],
      signature: ["the text under each mail", "mail signature"],
      filter: ["a rule that sorts incoming mail", "filter rule"],
      alias: ["another address of the mailbox", "address alias"],
    },
  },
  tracker: {
    services: "Jira,Linear,Asana,Shortcut",
    things: {
      issue: ["a piece of work, such as a bug or a story", "bug ticket"],
      project: ["a group of issues with a goal", "project"],
      sprint: ["a stretch of time with planned issues", "sprint"],
      comment: ["a text under an issue", "comment on an issue"],
      epic: ["a large piece of work with issues in it", "epic"],
      milestone: ["a date by which something is done", "milestone"],
      worklog: ["the time spent on an issue", "time spent worklog"],
    },
  },
  code: {
    services: "GitHub,GitLab,Bitbucket,Gitea",
    things: {
      repository: ["a code base with its history", "code repository"],
      "pull-request": ["changes that ask to be merged", "pull request"],
      branch: ["a line of commits", "branch"],
      release: ["a published version with notes", "published release"],
      workflow: ["a pipeline of continuous integration", "workflow"],
      gist: ["a shared snippet", "gist snippet"],
      webhook: ["an address that hears of events", "webhook address"],
    },
  },
  storage: {
    services: "Google Drive,Dropbox,Box,OneDrive",
    things: {
      file: ["a document with its content", "document file"],
      directory: ["a folder of files", "directory"],
      permission: ["who may read or write a file", "sharing permission"],
      revision: ["an earlier state of a file", "older revision"],
      "shared-link": ["an address by which anyone opens a file", "shared link"],
      shortcut: ["a pointer to another file", "shortcut pointer"],
      watermark: ["a text across pages", "watermark"],
    },
  },
  calendar: {
    services: "Google Calendar,Calendly,Cal.com,Cronofy",
    things: {
      event: ["an appointment with guests and a time", "meeting with guests"],
      calendar: ["a set of events of a person", "calendar"],
      attendee: ["a guest of an event", "attendee"],
      availability: ["when a person is free", "free time availability"],
      "booking-page": ["a page where others choose a time", "booking page"],
      room: ["a place that can be booked", "meeting room"],
      holiday: ["a day off", "holiday"],
    },
  },
  money: {
    services: "Stripe,QuickBooks,Xero,Chargebee",
    things: {
      invoice: ["a bill with lines and taxes", "invoice"],
      payment: ["money that was received", "received payment"],
      subscription: ["a plan that renews", "recurring subscription"],
      refund: ["money that goes back to a buyer", "refund"],
      coupon: ["a discount by a code", "discount coupon"],
      payout: ["a transfer to your bank account", "payout to the bank"],
      "tax-rate": ["a percentage by country", "tax rate"],
    },
  },
  support: {
    services: "Zendesk,Intercom,Freshdesk,Help Scout",
    things: {
      conversation: ["all messages with a customer", "customer conversation"],
      article: ["a page of the help center", "help center article"],
      macro: ["an answer that is ready to be sent", "canned macro"],
      tag: ["a word by which tickets are grouped", "tag"],
      survey: ["questions about satisfaction", "satisfaction survey"],
      agent: ["a colleague who answers customers", "support agent"],
      queue: ["tickets that wait for a team", "waiting queue"],
    },
  },
  people: {
    services: "BambooHR,Workday,Personio,Gusto",
    things: {
      employee: ["a person who works here, with a start date", "employee"],
      "time-off": ["days on which an employee is away", "time off request"],
      candidate: ["a person who applies for a job", "job candidate"],
      payslip: ["what an employee was paid in a month", "payslip"],
      department: ["a part of the organisation", "department"],
      benefit: ["what an employee gets besides the salary", "employee benefit"],
      training: ["a course that employees take", "training course"],
    },
  },
};

const verbs: Readonly<Record<string, readonly [text: string, phrases: readonly string[]]>> = {
  create: ["Creates", ["add a new", "make a", "please create a"]],
  find: ["Finds", ["look up a", "search for the", "find the"]],
  update: ["Changes", ["edit the", "modify a", "change the"]],
  delete: ["Deletes", ["remove the", "erase a", "get rid of the"]],
};

interface Labelled {
  readonly query: string;
  /** Name of the tool that it asks for. */
  readonly wanted: string;
}

/** 1,120 tools of 40 integrations, and 300 queries in other words, each with the tool that it means. */
export function searchCorpus(): { tools: SearchedTool[]; queries: Labelled[] } {
  const tools: SearchedTool[] = [];
  const asked: Labelled[] = [];
  for (const { services, things } of Object.values(kinds)) {
    for (const service of services.split(",")) {
      const key = service.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
      for (const [thing, [meaning, spoken]] of Object.entries(things)) {
        for (const [verb, [text, phrases]] of Object.entries(verbs)) {
          const action = `${verb}-${thing}`;
          const name = toolNameOf(key, action);
          tools.push({
            ...{ name, action, title: "", integration: `${key} ${service} ${key}` },
            description: `${text} a ${thing.replaceAll("-", " ")}: ${meaning}.`,
            parameters: "(input: { id?: string; fields?: object })",
          });
          const phrase = phrases[asked.length % phrases.length] ?? "";
          asked.push({ query: `${phrase} ${spoken} in ${service}`, wanted: name });
        }
      }
    }
  }
  // Spread over all of them, each tenth with two letters of a long word swapped.
  const step = asked.length / 300;
  const queries = Array.from({ length: 300 }, (_, n) => {
    const { query, wanted } = asked[Math.floor(n * step)] ?? { query: "", wanted: "" };
    return { wanted, query: n % 10 === 9 ? misspell(query) : query };
  });
  return { tools, queries };
}

function misspell(text: string): string {
  return text.replace(/\b([a-z]{3})([a-z])([a-z])([a-z]{2,})\b/, "$1$3$2$4");
}
