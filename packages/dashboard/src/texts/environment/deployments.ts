/** More about a deployment: of what it was made. */
const english = {
  commit: "Commit",
  branch: "Branch",
};

/** Loaded with the screens that show them. */
export const deploymentTexts = { english };
