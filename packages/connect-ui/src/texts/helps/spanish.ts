import type { HelpWords } from "./help-words.ts";

export const spanishHelps: HelpWords = {
  firstPart: (service, address, part) =>
    `La primera parte de tu dirección de ${service}: en ${address} es ${part}.`,
  firstPartOfOwn: (address, part) => `La primera parte de tu dirección: en ${address} es ${part}.`,
  host: (service) => `El host de tu dirección de ${service}.`,
  under: (path) => `Está en ${path}.`,
  madeUnder: (path) => `Se crea en ${path}.`,
  madeByAdmin: (path) => `Lo crea un administrador en ${path}.`,
  madeAt: (address) => `Se crea en ${address}.`,
  madeAtUnder: (address, path) => `Se crea en ${address}, en ${path}.`,
  madeIn: (place, path) => `Se crea en ${place}, en ${path}.`,
  shownUnder: (path) => `Se muestra en ${path}.`,
  shownAt: (address) => `Se muestra en ${address}.`,
  shownOnce: () => "Se muestra una sola vez, al crearlo.",
  ofYourApp: (address) => `De tu aplicación, en ${address}.`,
  startsWith: (sentence, start) => `${sentence} Empieza por ${start}.`,
  sentences: {
    "A UUID on the overview page of Microsoft Entra ID in the Azure portal.":
      "Un UUID en la página de información general de Microsoft Entra ID en Azure Portal.",
    "Find it on the app registration's overview page.":
      "En la página de información general del registro de la aplicación.",
    "The value, not the ID, of a secret under Certificates & secrets of the app registration.":
      "El valor, no el id., de un secreto en Certificados y secretos del registro de la aplicación.",
    "The ending of the address on which you use Zoho; left empty, Zoho tells it.":
      "La terminación de la dirección en la que usa Zoho; si se deja vacío, Zoho la indica.",
    "The host of your instance's address.": "El host de la dirección de tu instancia.",
    "Of that user.": "De ese usuario.",
    "That user's password.": "La contraseña de ese usuario.",
    "Find it next to the API key.": "Junto a la clave de API.",
    "Create it on the same page.": "Se crea en la misma página.",
  },
};
