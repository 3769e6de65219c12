// What tests of other slices need of records: to save and delete them as syncs do.
export { deleteRecords } from "../writing/delete-records.ts";
export { saveRecords } from "../writing/save-records.ts";
