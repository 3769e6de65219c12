/** What the pages say that a server makes itself, at the end of an authorization. */
export interface PageTexts {
  readonly language: string;
  readonly connected: string;
  readonly connectedText: string;
  readonly pending: string;
  readonly pendingText: string;
  readonly failed: string;
  readonly failedText: string;
  readonly error: string;
}

const english: PageTexts = {
  language: "en",
  connected: "Connected",
  connectedText: "The connection was made. You can close this window.",
  pending: "Almost connected",
  pendingText:
    "The request was sent. The connection works as soon as it is approved at the provider. You can close this window.",
  failed: "Not connected",
  failedText: "Close this window and try again from where you came.",
  error: "Error",
};

const others: readonly PageTexts[] = [
  {
    language: "de",
    connected: "Verbunden",
    connectedText: "Die Verbindung steht. Sie können dieses Fenster schließen.",
    pending: "Fast verbunden",
    pendingText:
      "Die Anfrage wurde gesendet. Die Verbindung funktioniert, sobald der Anbieter sie freigegeben hat. Sie können dieses Fenster schließen.",
    failed: "Nicht verbunden",
    failedText:
      "Schließen Sie dieses Fenster und versuchen Sie es dort noch einmal, woher Sie gekommen sind.",
    error: "Fehler",
  },
  {
    language: "fr",
    connected: "Connexion établie",
    connectedText: "Le compte est connecté. Vous pouvez fermer cette fenêtre.",
    pending: "Presque connecté",
    pendingText:
      "La demande a été envoyée. La connexion fonctionnera dès que le fournisseur l’aura approuvée. Vous pouvez fermer cette fenêtre.",
    failed: "Connexion impossible",
    failedText: "Fermez cette fenêtre et réessayez depuis la page d’où vous venez.",
    error: "Erreur",
  },
  {
    language: "es",
    connected: "Conectado",
    connectedText: "La cuenta está conectada. Puede cerrar esta ventana.",
    pending: "Casi conectado",
    pendingText:
      "La solicitud se ha enviado. La conexión funcionará en cuanto el proveedor la apruebe. Puede cerrar esta ventana.",
    failed: "No conectado",
    failedText: "Cierre esta ventana e inténtelo de nuevo desde la página de la que venía.",
    error: "Error",
  },
  {
    language: "ja",
    connected: "接続しました",
    connectedText: "アカウントが接続されました。このウィンドウを閉じてください。",
    pending: "あと少しで接続されます",
    pendingText:
      "リクエストを送信しました。プロバイダーで承認されると接続が有効になります。このウィンドウを閉じてください。",
    failed: "接続できませんでした",
    failedText: "このウィンドウを閉じ、元のページからもう一度お試しください。",
    error: "エラー",
  },
];

/** Texts in a session's language, else in the one that the browser wants most. */
export function choosePageTexts(
  acceptLanguage: string | undefined,
  ofSession?: string | undefined,
): PageTexts {
  return chooseTexts([english, ...others], acceptLanguage, ofSession);
}

/** Those in the language that the browser wants most (RFC 9110, section 12.5.4); the first where it wants none of them. */
export function chooseTexts<Texts extends { readonly language: string }>(
  languages: readonly [Texts, ...Texts[]],
  acceptLanguage: string | undefined,
  preferred = "",
): Texts {
  const wanted = [preferred, ...listWanted(acceptLanguage ?? "")];
  const found = wanted
    .map((tag) => languages.find(({ language }) => language === tag.toLowerCase().split("-")[0]))
    .find((texts) => texts !== undefined);
  return found ?? languages[0];
}

function listWanted(header: string): string[] {
  return header
    .slice(0, 1000)
    .split(",")
    .map((item) => item.split(";").map((part) => part.trim()))
    .map(([tag = "", weight = "q=1"]) => ({ tag, weight: Number(weight.replace("q=", "")) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}
