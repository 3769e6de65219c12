import type { HelpWords } from "./help-words.ts";

export const frenchHelps: HelpWords = {
  firstPart: (service, address, part) =>
    `La première partie de votre adresse ${service} : dans ${address}, c’est ${part}.`,
  firstPartOfOwn: (address, part) =>
    `La première partie de votre adresse : dans ${address}, c’est ${part}.`,
  host: (service) => `L’hôte de votre adresse ${service}.`,
  under: (path) => `Se trouve sous ${path}.`,
  madeUnder: (path) => `À créer sous ${path}.`,
  madeByAdmin: (path) => `À faire créer par un administrateur sous ${path}.`,
  madeAt: (address) => `À créer sur ${address}.`,
  madeAtUnder: (address, path) => `À créer sur ${address}, sous ${path}.`,
  madeIn: (place, path) => `À créer dans ${place}, sous ${path}.`,
  shownUnder: (path) => `Affiché sous ${path}.`,
  shownAt: (address) => `Affiché sur ${address}.`,
  shownOnce: () => "Affiché une seule fois, à la création.",
  ofYourApp: (address) => `Celui de votre application, sur ${address}.`,
  startsWith: (sentence, start) => `${sentence} Commence par ${start}.`,
  sentences: {
    "A UUID on the overview page of Microsoft Entra ID in the Azure portal.":
      "Un UUID sur la page de présentation de Microsoft Entra ID dans le portail Azure.",
    "Find it on the app registration's overview page.":
      "Sur la page de présentation de l’inscription d’application.",
    "The value, not the ID, of a secret under Certificates & secrets of the app registration.":
      "La valeur, et non l’ID, d’un secret sous Certificats et secrets de l’inscription d’application.",
    "The ending of the address on which you use Zoho; left empty, Zoho tells it.":
      "La fin de l’adresse à laquelle vous utilisez Zoho ; si le champ est vide, Zoho l’indique.",
    "The host of your instance's address.": "L’hôte de l’adresse de votre instance.",
    "Of that user.": "De cet utilisateur.",
    "That user's password.": "Le mot de passe de cet utilisateur.",
    "Find it next to the API key.": "À côté de la clé API.",
    "Create it on the same page.": "À créer sur la même page.",
  },
};
