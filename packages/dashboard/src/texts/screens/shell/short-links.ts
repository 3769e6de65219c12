/** Addresses that find their environment by themselves. */
const english = {
  searching: (id: string) => `Searching for the operation ${id}`,
  noneTitle: "Operation not found",
  none: (id: string) =>
    `No environment whose log you may read has an operation with the id ${id}. It may have been deleted after its time, or be in an environment in which you have no role.`,
  noId: "This is not the id of an operation.",
};

/** Loaded with the screen. */
export const shortLinkTexts = { english };
