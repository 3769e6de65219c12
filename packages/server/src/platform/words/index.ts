// Owns the search for words in texts of others, also where they stand encoded.
export { holdsWord } from "./holds-word.ts";
