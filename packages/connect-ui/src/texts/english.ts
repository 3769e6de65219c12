import { englishFieldTexts } from "@jackfield/ui/field-texts.ts";
import type { HelpWords } from "./helps/help-words.ts";

const unreachable = {
  title: "The service cannot be reached",
  text: "What you entered was not checked. If you entered an address, check it; otherwise try again in a few minutes.",
};

/** Titles of the catalogue are in English. */
const labels: Readonly<Record<string, string>> = {};
/** And so are its explanations of fields. */
const helps: { readonly words?: HelpWords } = {};

/** The server's own sentences are in English. */
const refusals: Readonly<Record<string, string>> = {};

/** Everything that the pages say, in English. A language is one more object of this shape. */
export const english = {
  ...englishFieldTexts,
  labels,
  helps,
  documentTitle: "Connect an account",
  manageTitle: "Your connections",
  manageText: (app: string | null) =>
    app === null
      ? "These accounts are connected. You can reconnect or disconnect each of them."
      : `${app} can use these accounts. You can reconnect or disconnect each of them.`,
  manageEmptyTitle: "Nothing is connected",
  manageEmptyText: "Accounts that you connect are listed here.",
  account: "Account",
  connectedOn: "Connected on",
  lastUsed: "Last used",
  never: "not yet",
  mayDo: "Access",
  hasRead: "Has read",
  states: {
    ok: "Works",
    refreshing: "Works",
    backoff: "Interrupted; we keep trying",
    needs_reauthorization: "Needs to be reconnected",
    pending: "Not confirmed yet",
  },
  reconnect: "Reconnect",
  reconnectNamed: (name: string) => `Reconnect ${name}`,
  disconnect: "Disconnect",
  disconnectNamed: (name: string) => `Disconnect ${name}`,
  disconnectTitle: (name: string) => `Disconnect ${name}?`,
  disconnectText: (name: string) =>
    `Access to your ${name} account ends immediately, and all data read from it is deleted.`,
  withdrawn: (name: string) => `We also withdraw the access at ${name}.`,
  notWithdrawn: (name: string) =>
    `We cannot withdraw the access at ${name}. Remove it in the settings of your ${name} account as well.`,
  disconnected: (name: string) => `${name} is disconnected.`,
  linkTitle: "Connect your accounts",
  linkText: (who: string | null, services: string | null) =>
    `${who === null ? "You are asked" : `${who} is asked`} to connect ${services ?? "a service of your choice"}.`,
  linkUntil: (date: string) => `The link works until ${date}.`,
  linkCode: "Code",
  linkCodeHelp: "Enter the 6 digits that the sender of the link gave you.",
  linkCodeWrong: "This code is wrong. Check it and try again.",
  linkEndedTitle: "This link cannot be used",
  linkEndedText: "It does not work any more. Ask the sender for another one.",
  linkCutText:
    "The address is incomplete: its end is missing. Open the link from the message again, or copy all of it.",
  loading: "Loading",
  back: "Back to the list",
  close: "Close",
  chooseTitle: "Connect an account",
  chooseText: "Choose the service you want to connect.",
  search: "Search services",
  noMatch: (words: string) => `No service matches “${words}”.`,
  matches: (count: number) => (count === 1 ? "1 service" : `${count} services`),
  connectTitle: (name: string) => `Connect ${name}`,
  reconnectTitle: (name: string) => `Reconnect ${name}`,
  browserText: (name: string) => `We’ll open ${name} in a new window. Sign in and choose Allow.`,
  formText: (name: string) => `Enter your ${name} details to connect your account.`,
  nothingText: (name: string) => `${name} can be connected without further details.`,
  accessTitle: (app: string | null) =>
    app === null ? "What you are asked to allow" : `What ${app} asks you to allow`,
  access: {
    see: (thing: string) => `See ${thing}`,
    change: (thing: string) => `See and change ${thing}`,
    add: (thing: string) => `Create ${thing}`,
    send: (thing: string) => `Send ${thing} for you`,
  },
  /** What scopes are about. */
  things: {
    account: "which account is yours",
    activity: "your activity",
    address: "your postal address",
    ads: "your ads and campaigns",
    analytics: "your reports and statistics",
    bookings: "your bookings",
    calendars: "your calendars and events",
    calls: "your calls and recordings",
    campaigns: "your campaigns",
    channels: "your channels",
    comments: "comments",
    companies: "your companies",
    contacts: "your contacts",
    conversations: "your conversations",
    customers: "your customers",
    deals: "your deals",
    designs: "your designs",
    documents: "your documents",
    emailAddress: "your e-mail address",
    emails: "your e-mails",
    employees: "your employees",
    everything: "everything that your account can reach",
    files: "your files",
    forms: "your forms and answers",
    history: "your history",
    invoices: "your invoices and bookkeeping",
    issues: "your issues and projects",
    leads: "your leads",
    meetings: "your meetings",
    members: "the members of your workspace",
    messages: "messages",
    notes: "your notes",
    notifications: "your notifications",
    orders: "your orders",
    organization: "your organization",
    payments: "your payments",
    phone: "your phone number",
    playlists: "your playlists",
    posts: "your posts",
    products: "your products",
    profile: "your name and picture",
    repositories: "your repositories and their code",
    settings: "your settings",
    sheets: "your spreadsheets",
    slides: "your presentations",
    tasks: "your tasks",
    tickets: "your tickets",
    users: "the people in your organization",
    videos: "your videos",
    webhooks: "webhooks",
    workflows: "your workflows",
  },
  keepAccess: "Keep the access while you are away",
  terms: "Terms",
  privacy: "Privacy policy",
  reconnectText: (name: string) =>
    `The access to your ${name} account has to be given again. Nothing else changes.`,
  connect: "Connect",
  continueTo: (name: string) => `Continue to ${name}`,
  tryAgain: "Try again",
  connecting: "Checking…",
  stored: "Your details are stored encrypted.",
  help: "Where do I find this?",
  documentation: (name: string) => `Documentation of ${name}`,
  helpInNewTab: "opens in a new tab",
  ownClientTitle: "Use your own OAuth app",
  ownClientId: "Client ID",
  ownClientSecret: "Client secret",
  ownClientText: "Leave both empty to use the app that is set up already.",
  waitingTitle: (name: string) => `Continue at ${name}`,
  waitingText: "Finish in the other window. This page continues by itself.",
  waitingClosed:
    "The other window seems to be closed. If it is still open, finish there; otherwise open it again.",
  openAgain: "Open it again",
  cancel: "Cancel",
  successTitle: (name: string) => `${name} is connected`,
  reconnectedTitle: (name: string) => `${name} is connected again`,
  pendingTitle: (name: string) => `${name} is almost connected`,
  pendingText: (name: string) => `The connection is complete as soon as ${name} confirms it.`,
  successText: "You can close this page.",
  done: "Done",
  continueInApp: "Continue",
  continuesIn: (seconds: number) =>
    seconds === 1
      ? "You’ll return to the app in 1 second."
      : `You’ll return to the app in ${seconds} seconds.`,
  stay: "Stay on this page",
  connectAnother: "Connect another account",
  continueHere: "Continue in this window",
  poweredBy: "Powered by Jackfield",
  failedTitle: "That did not work",
  /** By error type; others show the server's message. */
  failures: {
    authorization_cancelled: {
      title: "Access was not allowed",
      text: "Nothing was connected. You can try again.",
    },
    blocked_by_browser: {
      title: "The window was blocked",
      text: "Allow pop-ups for this site in your browser, then try again.",
    },
    window_closed: {
      title: "The window was closed",
      text: "It was closed before the connection was made. You can try again.",
    },
    upstream_unreachable: unreachable,
    upstream_dns_error: unreachable,
    upstream_tls_error: unreachable,
    upstream_timeout: {
      title: "The service did not answer in time",
      text: "What you entered was not checked. Try again in a few minutes.",
    },
    upstream_unavailable: {
      title: "The service has a problem at the moment",
      text: "What you entered was not checked. Try again in a few minutes.",
    },
    network_error: {
      title: "No connection to the server",
      text: "Check your connection to the Internet and try again.",
    },
  },
  failureTitles: {
    connection_test_failed: "These details did not work",
    invalid_credentials: "These details were refused",
    connection_validation_failed: "The connection was refused",
    account_changed: "This is another account",
    resource_capped: "No more connections can be made",
  },
  /** Why a service did not accept an account, by the server's sentence. */
  refusals,
  stopped: {
    missing: {
      title: "This page was opened without a session",
      text: "Go back to the app you came from and begin again.",
    },
    expired: {
      title: "This page has expired",
      text: "Go back to the app you came from and begin again. A page like this works for 30 minutes.",
    },
    used: {
      title: "This page was used already",
      text: "It has made its connection. To connect another account, begin again in the app you came from.",
    },
    gone: {
      title: "The connection no longer exists",
      text: "It was deleted in the meantime. Go back to the app you came from and connect again.",
    },
    empty: {
      title: "There is nothing to connect",
      text: "No service is set up for this page. Tell the people who sent you here.",
    },
    offline: {
      title: "The page cannot be loaded",
      text: "The server cannot be reached. Check your connection to the Internet and try again.",
    },
    broken: {
      title: "The page cannot be loaded",
      text: "Something failed on the server. Try again in a moment.",
    },
  },
};

export type Texts = typeof english;
