import { defineSlice } from "#slice";
import { deleteOldFiles } from "./kept-files.ts";

export const pageFiles = defineSlice({ daily: [deleteOldFiles] });
