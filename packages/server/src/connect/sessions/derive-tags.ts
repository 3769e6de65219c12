import type { EndUser } from "../session.ts";

type Tags = Readonly<Record<string, string>>;

const MOST_TAGS = 10;
const keyPattern = /^[a-z][a-z0-9_\-./]{0,63}$/;

/**
 * The tags of a session that may name its end user in the older way; explicit tags win. Of the user's
 * own tags those that cannot be tags are left out, and all of them when there would be too many.
 */
export function deriveTags(
  given: Tags | undefined,
  endUser: EndUser | undefined,
): Tags | undefined {
  if (endUser === undefined) return given;
  const { id, email, display_name: name, organization, tags = {} } = endUser;
  const known = withoutUndefined({
    end_user_id: id,
    end_user_email: email,
    end_user_display_name: name,
    organization_id: organization?.id,
    organization_display_name: organization?.display_name,
  });
  const own = Object.fromEntries(
    Object.entries(tags)
      .map(([key, value]) => [key.toLowerCase(), value.slice(0, 255)] as const)
      .filter(([key, value]) => keyPattern.test(key) && value !== ""),
  );
  const all = { ...own, ...known, ...given };
  return Object.keys(all).length <= MOST_TAGS ? all : { ...known, ...given };
}

/** The end user as tags name them; undefined where no tag does. */
export function toEndUser(tags: Tags = {}): EndUser | undefined {
  const id = tags["end_user_id"];
  if (id === undefined) return undefined;
  const organizationId = tags["organization_id"];
  return {
    id,
    email: tags["end_user_email"],
    display_name: tags["end_user_display_name"],
    organization:
      organizationId === undefined
        ? undefined
        : { id: organizationId, display_name: tags["organization_display_name"] },
  };
}

function withoutUndefined(values: Readonly<Record<string, string | undefined>>): Tags {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}
