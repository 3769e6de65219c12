import { englishFieldTexts } from "@jackfield/ui/field-texts.ts";

/** What fields say that a provider's entry describes; the connect page has the same. */
export const fieldTexts = { english: englishFieldTexts };
