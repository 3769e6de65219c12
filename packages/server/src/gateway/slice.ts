import { defineSlice } from "#slice";
import { deleteExpiredAnswers } from "./delete-expired-answers.ts";

export const gateway = defineSlice({
  daily: [deleteExpiredAnswers],
});
