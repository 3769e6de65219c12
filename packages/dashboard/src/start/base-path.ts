/** Path of the dashboard without a slash at its end, as the server wrote it into the page. */
export const basePath =
  document.querySelector('meta[name="jackfield-dashboard"]')?.getAttribute("content") ?? "";

/** Address of the API: the folder above the dashboard. */
export const apiAddress = `${window.location.origin}${basePath.replace(/\/dashboard$/, "")}`;

/** The address of this page below the dashboard, as parts between slashes. */
export function partsOfPage(): readonly string[] {
  return window.location.pathname
    .slice(basePath.length)
    .split("/")
    .filter((part) => part !== "");
}
