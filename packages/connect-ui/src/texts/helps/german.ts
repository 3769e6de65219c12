import type { HelpWords } from "./help-words.ts";

export const germanHelps: HelpWords = {
  firstPart: (service, address, part) =>
    `Der erste Teil Ihrer Adresse bei ${service}: in ${address} ist es ${part}.`,
  firstPartOfOwn: (address, part) => `Der erste Teil Ihrer Adresse: in ${address} ist es ${part}.`,
  host: (service) => `Der Host Ihrer Adresse bei ${service}.`,
  under: (path) => `Zu finden unter ${path}.`,
  madeUnder: (path) => `Zu erstellen unter ${path}.`,
  madeByAdmin: (path) => `Von einem Administrator zu erstellen unter ${path}.`,
  madeAt: (address) => `Zu erstellen auf ${address}.`,
  madeAtUnder: (address, path) => `Zu erstellen auf ${address} unter ${path}.`,
  madeIn: (place, path) => `Zu erstellen in ${place} unter ${path}.`,
  shownUnder: (path) => `Wird angezeigt unter ${path}.`,
  shownAt: (address) => `Wird angezeigt auf ${address}.`,
  shownOnce: () => "Wird bei der Erstellung einmal angezeigt.",
  ofYourApp: (address) => `Aus Ihrer App, auf ${address}.`,
  startsWith: (sentence, start) => `${sentence} Beginnt mit ${start}.`,
  sentences: {
    "A UUID on the overview page of Microsoft Entra ID in the Azure portal.":
      "Eine UUID auf der Übersichtsseite von Microsoft Entra ID im Azure-Portal.",
    "Find it on the app registration's overview page.":
      "Auf der Übersichtsseite der App-Registrierung.",
    "The value, not the ID, of a secret under Certificates & secrets of the app registration.":
      "Der Wert, nicht die ID, eines Geheimnisses unter Zertifikate & Geheimnisse der App-Registrierung.",
    "The ending of the address on which you use Zoho; left empty, Zoho tells it.":
      "Die Endung der Adresse, unter der Sie Zoho nutzen; bleibt das Feld leer, gibt Zoho sie an.",
    "The host of your instance's address.": "Der Host der Adresse Ihrer Instanz.",
    "Of that user.": "Von diesem Benutzer.",
    "That user's password.": "Das Passwort dieses Benutzers.",
    "Find it next to the API key.": "Neben dem API-Schlüssel.",
    "Create it on the same page.": "Auf derselben Seite zu erstellen.",
  },
};
