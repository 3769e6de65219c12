import type { EndUser } from "@jackfield/contract";

type Tags = Readonly<Record<string, string>>;

interface Organization {
  readonly id: string;
  readonly display_name?: string | undefined;
}

const MAX_TAGS = 10;
const MAX_TAG_LENGTH = 255;
const tagKey = /^[a-zA-Z][a-zA-Z0-9_\-./]{0,63}$/;

/**
 * The tags that stand for an end user and an organization, explicit tags before them. The end user's own tags are
 * dropped where they are no tags or would make too many.
 */
export function withEndUserTags(
  tags: Tags | undefined,
  endUser: EndUser | undefined,
  organization?: Organization,
): Record<string, string> | undefined {
  if (endUser === undefined && organization === undefined) return tags && { ...tags };
  const derived = {
    ...(endUser && { end_user_id: endUser.id }),
    ...(endUser?.email && { end_user_email: endUser.email }),
    ...(endUser?.display_name && { end_user_display_name: endUser.display_name }),
    ...(organization && { organization_id: organization.id }),
    ...(organization?.display_name && { organization_display_name: organization.display_name }),
  };
  const own = Object.entries(endUser?.tags ?? {}).flatMap(([key, value]) =>
    tagKey.test(key) && value !== ""
      ? [[key.toLowerCase(), value.slice(0, MAX_TAG_LENGTH)] as const]
      : [],
  );
  const all = { ...Object.fromEntries(own), ...derived, ...tags };
  return Object.keys(all).length <= MAX_TAGS ? all : { ...derived, ...tags };
}

/** The end user that the tags name, in the shape of older clients; null without `end_user_id`. */
export function presentEndUser(tags: Tags) {
  const id = tags["end_user_id"];
  if (id === undefined) return null;
  const organizationId = tags["organization_id"];
  return {
    id,
    display_name: tags["end_user_display_name"] ?? null,
    email: tags["end_user_email"] ?? null,
    tags: null,
    organization:
      organizationId === undefined
        ? null
        : { id: organizationId, display_name: tags["organization_display_name"] ?? null },
  };
}
