import type { userRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { presentLink } from "./links/present-link.ts";
import { newUserLink } from "./links/user-link.ts";
import { addUser } from "./users/add-user.ts";
import { changeUser, deleteUser, getChangeable } from "./users/change-user.ts";
import { toGrants } from "./users/grants.ts";
import { listUsers } from "./users/list-users.ts";
import { presentUser, presentUsers } from "./users/present-user.ts";

export const userHandlers = {
  listUsers: async (ctx, { query: { limit, cursor } }) => {
    const { users, nextCursor } = await listUsers(ctx, { limit, cursor });
    return { data: await presentUsers(ctx, users), next_cursor: nextCursor };
  },
  createUser: async (ctx, { body }) => {
    const { email, name } = body;
    const { user, link } = await addUser(ctx, { email, name, grants: toGrants(body.grants) });
    return { data: { user: await presentUser(ctx, user), link: presentLink(link) } };
  },
  updateUser: async (ctx, { params, body }) => {
    const user = await changeUser(ctx, params.id.toLowerCase(), {
      name: body.name,
      grants: body.grants && toGrants(body.grants),
      isDisabled: body.disabled,
    });
    return { data: await presentUser(ctx, user) };
  },
  deleteUser: async (ctx, { params }) => {
    await deleteUser(ctx, params.id.toLowerCase());
    return undefined;
  },
  createUserLink: async (ctx, { params }) => {
    const user = await getChangeable(ctx, params.id.toLowerCase());
    return { data: presentLink(await newUserLink(ctx, user)) };
  },
} satisfies RouteHandlers<typeof userRoutes>;
