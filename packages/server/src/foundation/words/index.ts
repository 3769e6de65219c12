// Owns the search for words in texts of others, also where they stand encoded.
export { base64Forms } from "./base64-forms.ts";
export { holdsWord } from "./holds-word.ts";
