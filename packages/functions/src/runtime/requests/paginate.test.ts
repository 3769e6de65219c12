import { expect, test } from "vitest";
import type { PaginatedConfiguration } from "../../proxy-configuration.ts";
import { answerJson, type HostAnswer, testRun } from "../testing/test-run.ts";

/** Walks all pages against the given answers; tells the pages, the calls and what on_page was given. */
async function walk(config: PaginatedConfiguration, answers: HostAnswer[]) {
  const reported: unknown[] = [];
  const left = [...answers];
  const { svc, calls } = testRun({ answer: () => left.shift() ?? answerJson({ items: [] }) });
  const pages: unknown[] = [];
  const paginate: PaginatedConfiguration["paginate"] = {
    ...config.paginate,
    on_page: ({ nextPageParam, response }) => {
      reported.push([nextPageParam, response.status, pages.length]);
    },
  };
  const given = structuredClone({ ...config, paginate: config.paginate });
  for await (const page of svc.paginate({ ...config, paginate })) pages.push(page);
  expect({ ...config, paginate: config.paginate }).toEqual(given);
  return { pages, calls, reported };
}

const cursor = {
  type: "cursor",
  cursor_name_in_request: "page.after",
  cursor_path_in_response: "meta.next",
  response_path: "items",
} as const;

function cursorPage(items: unknown, next?: unknown): HostAnswer {
  return answerJson({ items, meta: { next } });
}

test("offset: a limit given as text ends the list at a shorter page", async () => {
  const paginate = {
    type: "offset",
    offset_name_in_request: "skip",
    response_path: "items",
  } as const;

  const { pages, calls } = await walk(
    { endpoint: "/x", paginate: { ...paginate, limit: "2", limit_name_in_request: "size" } },
    [answerJson({ items: [1, 2] }), answerJson({ items: [3] })],
  );

  expect(pages).toEqual([[1, 2], [3]]);
  expect(calls).toHaveLength(2);
});

test("cursor: continues until there is no usable cursor", async () => {
  const { pages, calls, reported } = await walk(
    {
      endpoint: "/x",
      params: { sort: "id" },
      paginate: { ...cursor, limit: 2, limit_name_in_request: "size" },
    },
    [cursorPage([1, 2], " abc "), cursorPage([3], 7), cursorPage([4], "  ")],
  );

  expect(pages).toEqual([[1, 2], [3], [4]]);
  expect(calls.map(({ params }) => params["query"])).toEqual([
    [
      ["sort", "id"],
      ["size", "2"],
    ],
    [
      ["sort", "id"],
      ["size", "2"],
      ["page.after", "abc"],
    ],
    [
      ["sort", "id"],
      ["size", "2"],
      ["page.after", "7"],
    ],
  ]);
  expect(reported).toEqual([
    ["abc", 200, 1],
    [7, 200, 2],
    [undefined, 200, 3],
  ]);
});

test("cursor: an empty or missing page ends the walk without being given out", async () => {
  const empty = await walk({ endpoint: "/x", paginate: cursor }, [
    cursorPage([1], "a"),
    cursorPage([], "b"),
  ]);
  const missing = await walk({ endpoint: "/x", paginate: cursor }, [cursorPage(undefined, "b")]);

  expect([empty.pages, empty.calls.length, empty.reported.length]).toEqual([[[1]], 2, 1]);
  expect([missing.pages, missing.reported]).toEqual([[], []]);
});

test("in a body, dotted names become nested objects and what is there stays", async () => {
  const { calls } = await walk(
    {
      endpoint: "/x",
      method: "POST",
      data: { filter: "all", page: { size: 2 } },
      paginate: { ...cursor, limit: 2, limit_name_in_request: "page.limit" },
    },
    [cursorPage([1], 5), cursorPage([2])],
  );

  expect(calls.map(({ body }) => JSON.parse(body))).toEqual([
    { filter: "all", page: { size: 2, limit: 2 } },
    { filter: "all", page: { size: 2, limit: 2, after: 5 } },
  ]);
  expect(calls[0]?.params["query"]).toEqual([]);
});

test("offset: counts items or pages, as text in a query and as a number in a body", async () => {
  const paginate = {
    type: "offset",
    offset_name_in_request: "skip",
    response_path: "items",
  } as const;
  const byItems = await walk({ endpoint: "/x", params: "sort=id", paginate }, [
    answerJson({ items: [1, 2, 3] }),
    answerJson({ items: [4] }),
    answerJson({ items: [] }),
  ]);
  const byPages = await walk(
    {
      endpoint: "/x",
      method: "PUT",
      paginate: { ...paginate, offset_start_value: 1, offset_calculation_method: "per-page" },
    },
    [answerJson({ items: [1, 2] }), answerJson({ items: [3] })],
  );

  expect(byItems.calls.map(({ params }) => params["endpoint"])).toEqual([
    "/x?sort=id&skip=0",
    "/x?sort=id&skip=3",
    "/x?sort=id&skip=4",
  ]);
  expect(byItems.reported.map((entry) => Object(entry)[0])).toEqual([0, 3]);
  expect(byPages.calls.map(({ body }) => JSON.parse(body))).toEqual([
    { skip: 1 },
    { skip: 2 },
    { skip: 3 },
  ]);
});

test("offset: a page shorter than the limit is the last, and on_page does not hear of it", async () => {
  const { pages, reported, calls } = await walk(
    {
      endpoint: "/x",
      paginate: {
        type: "offset",
        offset_name_in_request: "skip",
        limit: 2,
        limit_name_in_request: "top",
      },
    },
    [answerJson([1, 2]), answerJson([3])],
  );

  expect(pages).toEqual([[1, 2], [3]]);
  expect(reported).toEqual([[0, 200, 1]]);
  expect(calls[1]?.params["query"]).toEqual([
    ["top", "2"],
    ["skip", "2"],
  ]);
});

test("link: follows absolute and relative links, drops params, gives out every page", async () => {
  const { pages, calls, reported } = await walk(
    {
      endpoint: "/v1/x",
      params: { a: "1" },
      paginate: {
        type: "link",
        link_rel_in_response_header: "next",
        link_path_in_response_body: "@odata.nextLink",
        response_path: "items",
        limit: 5,
        limit_name_in_request: "size",
      },
    },
    [
      answerJson({ items: [1] }, { link: '<https://b.example/v1/x?p=2>; rel="next"' }),
      answerJson({ items: [], "@odata.nextLink": "/v1/y?p=3" }),
      answerJson({ "@odata.nextLink": "?p=4" }),
      answerJson({ items: [4], "@odata.nextLink": "?p=4" }),
    ],
  );

  expect(pages).toEqual([[1], [], undefined, [4]]);
  expect(
    calls.map(({ params }) => [params["baseUrlOverride"], params["endpoint"], params["query"]]),
  ).toEqual([
    [
      undefined,
      "/v1/x",
      [
        ["a", "1"],
        ["size", "5"],
      ],
    ],
    ["https://b.example", "/v1/x?p=2", []],
    ["https://b.example", "/v1/y?p=3", []],
    ["https://b.example", "/v1/y?p=4", []],
  ]);
  expect(reported.map((entry) => Object(entry)[0])).toEqual([
    "https://b.example/v1/x?p=2",
    "/v1/y?p=3",
    "?p=4",
    "?p=4",
  ]);
});

test.each([
  ["nothing", undefined, "say how the list is paged"],
  ["an unknown type", { type: "pages" }, 'type "pages" is unknown'],
  [
    "a cursor without its path",
    { type: "cursor", cursor_name_in_request: "a" },
    "cursor_path_in_response",
  ],
  ["a limit without its name", { ...cursor, limit: 5 }, "limit_name_in_request"],
  ["a link without a place", { type: "link" }, "link_rel_in_response_header"],
  ["an offset without a name", { type: "offset" }, "offset_name_in_request"],
])("says what is missing: %s", async (_name, paginate, message) => {
  const { svc, calls } = testRun();
  const untyped: object = { endpoint: "/x", paginate };

  const pages = svc.paginate(untypedConfig(untyped));

  await expect(pages.next()).rejects.toThrow(message);
  expect(calls.filter(({ method }) => method === "proxy")).toEqual([]);
});

/** Authors without types can pass anything. */
function untypedConfig(config: object): PaginatedConfiguration {
  return config as PaginatedConfiguration;
}

test("another integration's way of paging is asked for, and options lie over it", async () => {
  const pagination = { type: "offset", offset_name_in_request: "skip", limit: 2 };
  const { svc, calls } = testRun({
    facts: { pagination: { type: "link", link_rel_in_response_header: "next" } },
    answer: ({ method }) => (method === "getPagination" ? { value: pagination } : answerJson([1])),
  });
  const pages: unknown[] = [];

  for await (const page of svc.paginate({
    endpoint: "/items",
    providerConfigKey: "other",
    paginate: { limit_name_in_request: "take" },
  })) {
    pages.push(page);
  }

  expect(pages).toEqual([[1]]);
  expect(calls.map(({ method }) => method)).toEqual(["getPagination", "proxy"]);
  expect(calls[0]?.params).toEqual({ providerConfigKey: "other" });
  expect(calls[1]?.params["query"]).toEqual([
    ["take", "2"],
    ["skip", "0"],
  ]);
});

test("a call that names a type of its own gets nothing of the provider's way of paging", async () => {
  const { svc, calls } = testRun({
    facts: {
      pagination: {
        type: "link",
        link_path_in_response_body: "next",
        response_path: "value",
        limit_name_in_request: "$top",
      },
    },
    answer: () => answerJson({ value: [1], next: "/more", id: 7 }),
  });
  const paginate = { type: "link", link_path_in_response_body: "none" } as const;
  const pages: unknown[] = [];

  for await (const page of svc.paginate({ endpoint: "/items", paginate })) pages.push(page);

  expect(pages).toEqual([{ value: [1], next: "/more", id: 7 }]);
  expect(calls.map(({ method }) => method)).toEqual(["proxy"]);
});
