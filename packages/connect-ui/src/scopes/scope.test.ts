import { expect, test } from "vitest";
import { english } from "../texts/english.ts";
import { loadTexts } from "../texts/languages.ts";
import { explainScopes, wordsOf } from "./scope.ts";

async function say(provider: string, scope: string, texts = english): Promise<string> {
  const [explained] = await explainScopes(provider, [scope]);
  return explained === undefined ? "" : wordsOf(explained, texts);
}

test.each([
  ["oauth2-generic", "openid", "See which account is yours"],
  ["oauth2-generic", "offline_access", "Keep the access while you are away"],
  ["google-mail", "https://www.googleapis.com/auth/gmail.send", "Send your e-mails for you"],
  ["google-drive", "https://www.googleapis.com/auth/drive.readonly", "See your files"],
  ["microsoft", "Calendars.ReadWrite", "See and change your calendars and events"],
  ["outlook", "https://graph.microsoft.com/Mail.Read", "See your e-mails"],
  ["github", "repo", "See and change your repositories and their code"],
  ["slack", "chat:write", "Send messages for you"],
])("%s: %s says %j", async (provider, scope, words) => {
  expect(await say(provider, scope)).toBe(words);
});

test.each([
  ["oauth2-generic", "contacts.read"],
  ["boxer", "root_readonly"],
  ["github", "constructor"],
  ["slack", "repo"],
])("%s: %s has no words, and is shown by its name", async (provider, scope) => {
  expect(await explainScopes(provider, [scope])).toEqual([{ name: scope, meaning: undefined }]);
});

test("the words are in the page's language", async () => {
  const { texts } = await loadTexts("de");

  expect(await say("google-calendar", "https://www.googleapis.com/auth/calendar", texts)).toBe(
    "Ihre Kalender und Termine sehen und ändern",
  );
});
