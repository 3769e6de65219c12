import { chooseLanguage } from "@jackfield/ui/choose-language.ts";
import { englishFieldTexts } from "@jackfield/ui/field-texts.ts";

const unreachable = {
  title: "The service cannot be reached",
  text: "What you entered was not checked. If you entered an address, check it; otherwise try again in a few minutes.",
};

/** Everything the page says, in English. A language is one more object of this shape. */
const english = {
  ...englishFieldTexts,
  documentTitle: "Connect an account",
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
  /** Scopes of OpenID Connect and OAuth; others are shown by their names. */
  scopes: new Map([
    ["openid", "Know which account is yours"],
    ["profile", "See your name and picture"],
    ["email", "See your e-mail address"],
    ["address", "See your postal address"],
    ["phone", "See your phone number"],
    ["offline_access", "Keep the access while you are away"],
  ]),
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
    seconds === 1 ? "You go back in 1 second." : `You go back in ${seconds} seconds.`,
  stay: "Stay on this page",
  connectAnother: "Connect another account",
  continueHere: "Continue in this window",
  poweredBy: "Powered by Jackfield",
  failedTitle: "That did not work",
  errorType: (type: string) => `Error: ${type}`,
  /** By error type; others show the server's message. */
  failures: new Map<string, { readonly title: string; readonly text: string }>([
    [
      "authorization_cancelled",
      { title: "Access was not allowed", text: "Nothing was connected. You can try again." },
    ],
    [
      "blocked_by_browser",
      {
        title: "The window was blocked",
        text: "Allow pop-ups for this site in your browser, then try again.",
      },
    ],
    [
      "window_closed",
      {
        title: "The window was closed",
        text: "It was closed before the connection was made. You can try again.",
      },
    ],
    ["upstream_unreachable", unreachable],
    ["upstream_dns_error", unreachable],
    ["upstream_tls_error", unreachable],
    [
      "upstream_timeout",
      {
        title: "The service did not answer in time",
        text: "What you entered was not checked. Try again in a few minutes.",
      },
    ],
    [
      "upstream_unavailable",
      {
        title: "The service has a problem at the moment",
        text: "What you entered was not checked. Try again in a few minutes.",
      },
    ],
    [
      "network_error",
      {
        title: "No connection to the server",
        text: "Check your connection to the Internet and try again.",
      },
    ],
  ]),
  failureTitles: new Map<string, string>([
    ["connection_test_failed", "These details did not work"],
    ["invalid_credentials", "These details were refused"],
    ["connection_validation_failed", "The connection was refused"],
    ["resource_capped", "No more connections can be made"],
  ]),
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

const languages: ReadonlyMap<string, Texts> = new Map([["en", english]]);

/** The texts of the asked language, or of its main language; English otherwise. */
export function chooseTexts(lang: string | undefined): { lang: string; texts: Texts } {
  return chooseLanguage(languages, english, lang);
}
