import type { Texts } from "./english.ts";
import { germanHelps } from "./helps/german.ts";
import { germanLabels } from "./labels/german.ts";

const unreachable = {
  title: "Der Dienst ist nicht erreichbar",
  text: "Ihre Angaben wurden nicht geprüft. Wenn Sie eine Adresse eingegeben haben, prüfen Sie sie; versuchen Sie es sonst in ein paar Minuten noch einmal.",
};

const german: Texts = {
  labels: germanLabels,
  helps: { words: germanHelps },
  optional: "optional",
  choose: "Auswählen …",
  show: (label) => `${label} anzeigen`,
  hide: (label) => `${label} verbergen`,
  example: (example) => `Zum Beispiel ${example}`,
  invalid: {
    required: (label) => `${label} fehlt.`,
    choose: "Wählen Sie einen der Werte aus.",
    pattern: (label) => `${label} hat nicht die richtige Form.`,
    uri: "Geben Sie eine Webadresse ein, die mit https:// oder http:// beginnt.",
    hostname: "Geben Sie einen Hostnamen ohne https:// und ohne Pfad ein.",
    email: "Geben Sie eine E-Mail-Adresse ein.",
    uuid: "Geben Sie eine ID der Form 123e4567-e89b-12d3-a456-426614174000 ein.",
    together: "Füllen Sie beide Felder aus oder keines.",
  },
  documentTitle: "Konto verbinden",
  manageTitle: "Ihre Verbindungen",
  manageText: (app) =>
    app === null
      ? "Diese Konten sind verbunden. Sie können jedes neu verbinden oder trennen."
      : `${app} kann diese Konten nutzen. Sie können jedes neu verbinden oder trennen.`,
  manageEmptyTitle: "Nichts verbunden",
  manageEmptyText: "Konten, die Sie verbinden, erscheinen hier.",
  account: "Konto",
  connectedOn: "Verbunden am",
  lastUsed: "Zuletzt genutzt",
  never: "noch nicht",
  mayDo: "Zugriff",
  hasRead: "Hat gelesen",
  states: {
    ok: "Funktioniert",
    refreshing: "Funktioniert",
    backoff: "Unterbrochen; wir versuchen es weiter",
    needs_reauthorization: "Muss neu verbunden werden",
    pending: "Noch nicht bestätigt",
  },
  reconnect: "Neu verbinden",
  reconnectNamed: (name) => `${name} neu verbinden`,
  disconnect: "Trennen",
  disconnectNamed: (name) => `${name} trennen`,
  disconnectTitle: (name) => `${name} trennen?`,
  disconnectText: (name) =>
    `Der Zugriff auf Ihr ${name}-Konto endet sofort, und alles, was daraus gelesen wurde, wird gelöscht.`,
  withdrawn: (name) => `Wir widerrufen den Zugriff auch bei ${name}.`,
  notWithdrawn: (name) =>
    `Bei ${name} können wir den Zugriff nicht widerrufen. Entfernen Sie ihn auch in den Einstellungen Ihres ${name}-Kontos.`,
  disconnected: (name) => `${name} ist getrennt.`,
  linkTitle: "Konten verbinden",
  linkText: (who, services) =>
    `${who === null ? "Sie werden gebeten" : `${who} wird gebeten`}, ${services ?? "einen Dienst Ihrer Wahl"} zu verbinden.`,
  linkUntil: (date) => `Der Link gilt bis ${date}.`,
  linkCode: "Code",
  linkCodeHelp: "Geben Sie die 6 Ziffern ein, die Sie vom Absender des Links erhalten haben.",
  linkCodeWrong: "Dieser Code ist falsch. Prüfen Sie ihn und versuchen Sie es erneut.",
  linkEndedTitle: "Dieser Link kann nicht verwendet werden",
  linkEndedText: "Er gilt nicht mehr. Bitten Sie den Absender um einen neuen.",
  linkCutText:
    "Die Adresse ist unvollständig: Ihr Ende fehlt. Öffnen Sie den Link noch einmal aus der Nachricht, oder kopieren Sie ihn ganz.",
  loading: "Wird geladen",
  back: "Zurück zur Liste",
  close: "Schließen",
  chooseTitle: "Konto verbinden",
  chooseText: "Wählen Sie den Dienst, den Sie verbinden möchten.",
  search: "Dienste suchen",
  noMatch: (words) => `Kein Dienst passt zu „${words}“.`,
  matches: (count) => (count === 1 ? "1 Dienst" : `${count} Dienste`),
  connectTitle: (name) => `${name} verbinden`,
  reconnectTitle: (name) => `${name} neu verbinden`,
  browserText: (name) =>
    `Wir öffnen ${name} in einem neuen Fenster. Melden Sie sich dort an und erlauben Sie den Zugriff.`,
  formText: (name) => `Geben Sie Ihre Daten für ${name} ein, um Ihr Konto zu verbinden.`,
  nothingText: (name) => `${name} lässt sich ohne weitere Angaben verbinden.`,
  accessTitle: (app) => (app === null ? "Was Sie erlauben sollen" : `Worum ${app} Sie bittet`),
  access: {
    see: (thing) => `${capitalize(thing)} sehen`,
    change: (thing) => `${capitalize(thing)} sehen und ändern`,
    add: (thing) => `${capitalize(thing)} anlegen`,
    send: (thing) => `${capitalize(thing)} in Ihrem Namen senden`,
  },
  things: {
    account: "Ihre Kontokennung",
    activity: "Ihre Aktivitäten",
    address: "Ihre Postanschrift",
    ads: "Ihre Anzeigen und Kampagnen",
    analytics: "Ihre Berichte und Statistiken",
    bookings: "Ihre Buchungen",
    calendars: "Ihre Kalender und Termine",
    calls: "Ihre Anrufe und Aufzeichnungen",
    campaigns: "Ihre Kampagnen",
    channels: "Ihre Kanäle",
    comments: "Kommentare",
    companies: "Ihre Unternehmen",
    contacts: "Ihre Kontakte",
    conversations: "Ihre Unterhaltungen",
    customers: "Ihre Kunden",
    deals: "Ihre Deals",
    designs: "Ihre Designs",
    documents: "Ihre Dokumente",
    emailAddress: "Ihre E-Mail-Adresse",
    emails: "Ihre E-Mails",
    employees: "Ihre Mitarbeitenden",
    everything: "alles, worauf Ihr Konto Zugriff hat,",
    files: "Ihre Dateien",
    forms: "Ihre Formulare und Antworten",
    history: "Ihren Verlauf",
    invoices: "Ihre Rechnungen und Buchhaltung",
    issues: "Ihre Vorgänge und Projekte",
    leads: "Ihre Leads",
    meetings: "Ihre Besprechungen",
    members: "die Mitglieder Ihres Arbeitsbereichs",
    messages: "Nachrichten",
    notes: "Ihre Notizen",
    notifications: "Ihre Benachrichtigungen",
    orders: "Ihre Bestellungen",
    organization: "Ihre Organisation",
    payments: "Ihre Zahlungen",
    phone: "Ihre Telefonnummer",
    playlists: "Ihre Playlists",
    posts: "Ihre Beiträge",
    products: "Ihre Produkte",
    profile: "Ihren Namen und Ihr Bild",
    repositories: "Ihre Repositorys und deren Code",
    settings: "Ihre Einstellungen",
    sheets: "Ihre Tabellen",
    slides: "Ihre Präsentationen",
    tasks: "Ihre Aufgaben",
    tickets: "Ihre Tickets",
    users: "die Personen in Ihrer Organisation",
    videos: "Ihre Videos",
    webhooks: "Webhooks",
    workflows: "Ihre Workflows",
  },
  keepAccess: "Den Zugriff behalten, auch wenn Sie nicht da sind",
  terms: "Nutzungsbedingungen",
  privacy: "Datenschutzerklärung",
  reconnectText: (name) =>
    `Der Zugriff auf Ihr ${name}-Konto muss neu erteilt werden. Sonst ändert sich nichts.`,
  connect: "Verbinden",
  continueTo: (name) => `Weiter zu ${name}`,
  tryAgain: "Erneut versuchen",
  connecting: "Wird geprüft …",
  stored: "Ihre Angaben werden verschlüsselt gespeichert.",
  help: "Wo finde ich das?",
  documentation: (name) => `Dokumentation von ${name}`,
  helpInNewTab: "öffnet sich in einem neuen Tab",
  ownClientTitle: "Eigene OAuth-App verwenden",
  ownClientId: "Client-ID",
  ownClientSecret: "Client-Geheimnis",
  ownClientText: "Lassen Sie beide leer, um die bereits eingerichtete App zu verwenden.",
  waitingTitle: (name) => `Weiter bei ${name}`,
  waitingText:
    "Schließen Sie den Vorgang im anderen Fenster ab. Diese Seite macht von selbst weiter.",
  waitingClosed:
    "Das andere Fenster scheint geschlossen zu sein. Ist es noch offen, machen Sie dort weiter; öffnen Sie es sonst erneut.",
  openAgain: "Erneut öffnen",
  cancel: "Abbrechen",
  successTitle: (name) => `${name} ist verbunden`,
  reconnectedTitle: (name) => `${name} ist wieder verbunden`,
  pendingTitle: (name) => `${name} ist fast verbunden`,
  pendingText: (name) => `Die Verbindung steht, sobald ${name} sie bestätigt.`,
  successText: "Sie können diese Seite schließen.",
  done: "Fertig",
  continueInApp: "Weiter",
  continuesIn: (seconds) =>
    seconds === 1
      ? "In 1 Sekunde geht es zurück zur App."
      : `In ${seconds} Sekunden geht es zurück zur App.`,
  stay: "Auf dieser Seite bleiben",
  connectAnother: "Weiteres Konto verbinden",
  continueHere: "In diesem Fenster fortfahren",
  poweredBy: "Bereitgestellt mit Jackfield",
  failedTitle: "Das hat nicht geklappt",
  failures: {
    authorization_cancelled: {
      title: "Der Zugriff wurde nicht erlaubt",
      text: "Es wurde nichts verbunden. Sie können es erneut versuchen.",
    },
    blocked_by_browser: {
      title: "Das Fenster wurde blockiert",
      text: "Erlauben Sie Pop-ups für diese Website im Browser und versuchen Sie es erneut.",
    },
    window_closed: {
      title: "Das Fenster wurde geschlossen",
      text: "Es wurde geschlossen, bevor die Verbindung bestand. Sie können es erneut versuchen.",
    },
    upstream_unreachable: unreachable,
    upstream_dns_error: unreachable,
    upstream_tls_error: unreachable,
    upstream_timeout: {
      title: "Der Dienst hat nicht rechtzeitig geantwortet",
      text: "Ihre Angaben wurden nicht geprüft. Versuchen Sie es in ein paar Minuten noch einmal.",
    },
    upstream_unavailable: {
      title: "Der Dienst hat gerade eine Störung",
      text: "Ihre Angaben wurden nicht geprüft. Versuchen Sie es in ein paar Minuten noch einmal.",
    },
    network_error: {
      title: "Keine Verbindung zum Server",
      text: "Prüfen Sie Ihre Internetverbindung und versuchen Sie es erneut.",
    },
  },
  failureTitles: {
    connection_test_failed: "Mit diesen Angaben klappt es nicht",
    invalid_credentials: "Diese Angaben wurden abgelehnt",
    connection_validation_failed: "Die Verbindung wurde abgelehnt",
    account_changed: "Das ist ein anderes Konto",
    resource_capped: "Es sind keine weiteren Verbindungen möglich",
  },
  refusals: {
    "The service did not accept what you entered. Check it and try again.":
      "Der Dienst hat Ihre Angaben nicht angenommen. Prüfen Sie sie und versuchen Sie es erneut.",
    "The service did not accept this. Check what you entered, or begin again.":
      "Der Dienst hat dies nicht angenommen. Prüfen Sie Ihre Angaben oder beginnen Sie von vorn.",
    "The service did not accept this app. Check what you entered, if anything; otherwise tell the people who sent you here.":
      "Der Dienst hat diese App nicht angenommen. Prüfen Sie Ihre Angaben, falls Sie welche gemacht haben. Wenden Sie sich sonst an die Stelle, von der Sie hierhergeschickt wurden.",
    "The service cannot be asked at the moment. Try again in a few minutes.":
      "Der Dienst kann gerade nicht gefragt werden. Versuchen Sie es in ein paar Minuten noch einmal.",
  },
  stopped: {
    missing: {
      title: "Diese Seite wurde ohne Sitzung geöffnet",
      text: "Gehen Sie zurück zur App, aus der Sie kommen, und beginnen Sie von vorn.",
    },
    expired: {
      title: "Diese Seite ist abgelaufen",
      text: "Gehen Sie zurück zur App, aus der Sie kommen, und beginnen Sie von vorn. Eine solche Seite gilt 30 Minuten.",
    },
    used: {
      title: "Diese Seite wurde schon verwendet",
      text: "Die Verbindung besteht bereits. Um ein weiteres Konto zu verbinden, beginnen Sie in der App von vorn.",
    },
    gone: {
      title: "Die Verbindung gibt es nicht mehr",
      text: "Sie wurde inzwischen gelöscht. Gehen Sie zurück zur App, aus der Sie kommen, und verbinden Sie das Konto neu.",
    },
    empty: {
      title: "Hier gibt es nichts zu verbinden",
      text: "Für diese Seite ist kein Dienst eingerichtet. Wenden Sie sich an die Stelle, von der Sie hierhergeschickt wurden.",
    },
    offline: {
      title: "Die Seite kann nicht geladen werden",
      text: "Der Server ist nicht erreichbar. Prüfen Sie Ihre Internetverbindung und versuchen Sie es erneut.",
    },
    broken: {
      title: "Die Seite kann nicht geladen werden",
      text: "Auf dem Server ist etwas fehlgeschlagen. Versuchen Sie es gleich noch einmal.",
    },
  },
};

function capitalize(text: string): string {
  return text.charAt(0).toLocaleUpperCase("de") + text.slice(1);
}

export default german;
