/** Who can give a role that somebody lacks. */
const english = {
  askNamed: (names: readonly string[], areMore: boolean) => {
    const list = new Intl.ListFormat("en", { type: "disjunction" });
    return `${list.format(areMore ? [...names, "another owner"] : names)} can give you a role with it.`;
  },
};

/** Loaded where a role does not allow something. */
export const grantsTexts = { english };
