/** What `notifyDue` calls the schedules. */
export const DUE_SYNCS = "syncs";
