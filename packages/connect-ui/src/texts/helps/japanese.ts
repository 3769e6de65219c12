import type { HelpWords } from "./help-words.ts";

export const japaneseHelps: HelpWords = {
  firstPart: (service, address, part) =>
    `${service} のアドレスの最初の部分です。${address} の場合は ${part} です。`,
  firstPartOfOwn: (address, part) =>
    `お使いのアドレスの最初の部分です。${address} の場合は ${part} です。`,
  host: (service) => `${service} のアドレスのホストです。`,
  under: (path) => `${path} にあります。`,
  madeUnder: (path) => `${path} で作成します。`,
  madeByAdmin: (path) => `管理者が ${path} で作成します。`,
  madeAt: (address) => `${address} で作成します。`,
  madeAtUnder: (address, path) => `${address} の ${path} で作成します。`,
  madeIn: (place, path) => `${place} の ${path} で作成します。`,
  shownUnder: (path) => `${path} に表示されます。`,
  shownAt: (address) => `${address} に表示されます。`,
  shownOnce: () => "作成時に一度だけ表示されます。",
  ofYourApp: (address) => `${address} にあるアプリの値です。`,
  startsWith: (sentence, start) => `${sentence}${start} で始まります。`,
  sentences: {
    "A UUID on the overview page of Microsoft Entra ID in the Azure portal.":
      "Azure ポータルの Microsoft Entra ID の概要ページにある UUID です。",
    "Find it on the app registration's overview page.": "アプリの登録の概要ページにあります。",
    "The value, not the ID, of a secret under Certificates & secrets of the app registration.":
      "アプリの登録の「証明書とシークレット」にあるシークレットの値です（ID ではありません）。",
    "The ending of the address on which you use Zoho; left empty, Zoho tells it.":
      "Zoho をお使いのアドレスの末尾です。空欄の場合は Zoho から取得します。",
    "The host of your instance's address.": "お使いのインスタンスのアドレスのホストです。",
    "Of that user.": "そのユーザーのものです。",
    "That user's password.": "そのユーザーのパスワードです。",
    "Find it next to the API key.": "API キーの横にあります。",
    "Create it on the same page.": "同じページで作成します。",
  },
};
