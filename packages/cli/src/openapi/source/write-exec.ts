import type { Pages } from "../operations/find-pages.ts";
import type { ActionPlan } from "../operations/plan-action.ts";
import type { BodyPlan } from "../operations/plan-body.ts";
import { indent, toKey, toLiteral, toMember } from "./literals.ts";

/** The member `exec` of an action. */
export function writeExec(plan: ActionPlan): string {
  const { answer, pages, input } = plan;
  const parameters = input.fields.length === 0 ? "svc" : "svc, input";
  const lines = [
    ...writeSplit(plan),
    ...(pages === undefined ? writeCall(plan) : writePages(plan, pages)),
  ];
  const result = pages === undefined ? writeResult(answer.kind, answer.mayBeEmpty) : [];
  return `exec: async (${parameters}) => {\n${indent([...lines, ...result].join("\n"))}\n}`;
}

function writeCall(plan: ActionPlan): string[] {
  const { kind } = plan.answer;
  const call = `await ${writeRequest(plan)};`;
  if (kind === "nothing") return [call];
  if (kind === "headers") return [`const { status, headers } = ${call}`];
  return [`const { data${kind === "bytes" ? ", headers" : ""} } = ${call}`];
}

function writeResult(kind: ActionPlan["answer"]["kind"], mayBeEmpty: boolean): string[] {
  switch (kind) {
    case "nothing":
      return [];
    case "headers":
      return ["return { status, headers };"];
    case "bytes":
      return [
        'return { content_type: String(headers["content-type"] ?? ""), base64: data.toString("base64") };',
      ];
    default:
      return [kind === "json" && mayBeEmpty ? 'return data === "" ? null : data;' : "return data;"];
  }
}

function writePages(plan: ActionPlan, { items, parameter, by }: Pages): string[] {
  const way = [
    `items: ${toLiteral(items)}`,
    `by: "${by.kind}"`,
    ...("first" in by ? [`first: ${by.first}`] : []),
    ...("at" in by ? [`at: ${toLiteral(by.at)}`] : []),
    ...("more" in by ? [`at: ${toLiteral(by.more)}`] : []),
  ];
  const key =
    plan.input.parameters.find((one) => one.parameter.name === parameter)?.key ?? parameter;
  return [
    "return await collectPages(",
    indent(`{ ${way.join(", ")} },`),
    indent(`{ pages: input.pages, from: ${toMember("input", key)} },`),
    indent(`async (turn) => await ${writeRequest(plan)},`),
    ");",
  ];
}

function writeRequest(plan: ActionPlan): string {
  const { method } = plan.operation;
  const lines = [
    ...(method === "head" ? ['method: "HEAD",'] : []),
    `endpoint: ${plan.endpoint},`,
    ...writeQuery(plan),
    ...writeHeaders(plan),
    ...writeData(plan.input.body, hasFieldsOfItsOwn(plan)),
    ...(plan.answer.kind === "bytes" ? ['responseType: "arraybuffer",'] : []),
    ...(plan.answer.kind === "text" ? ['responseType: "text",'] : []),
  ];
  return `svc.${method === "head" ? "proxy" : method}({\n${indent(lines.join("\n"))}\n})`;
}

function writeQuery({ input, pages }: ActionPlan): string[] {
  const values = input.parameters.flatMap(({ parameter: { name, place, style }, key }) => {
    if (place !== "query") return [];
    const value = name === pages?.parameter ? "turn" : toMember("input", key);
    return [`[${toLiteral(name)}, ${value}${style === "form" ? "" : `, "${style}"`}],`];
  });
  return values.length === 0 ? [] : ["params: toQuery([", indent(values.join("\n")), "]),"];
}

function writeHeaders({ input, answer }: ActionPlan): string[] {
  const own = input.parameters.flatMap(({ parameter: { name, place }, key }) =>
    place === "header" ? [`${toKey(name)}: headerText(${toMember("input", key)}),`] : [],
  );
  const type = contentTypeOf(input.body);
  const lines = [
    ...own,
    ...(answer.accept === undefined ? [] : [`accept: ${toLiteral(answer.accept)},`]),
    ...(type === undefined ? [] : [`"content-type": ${toLiteral(type)},`]),
  ];
  return lines.length === 0 ? [] : ["headers: {", indent(lines.join("\n")), "},"];
}

/** What the runtime does not find out itself. */
function contentTypeOf(body: BodyPlan | undefined): string | undefined {
  if (body === undefined || body.kind === "form" || body.kind === "multipart") return undefined;
  const isUsual = body.contentType === "application/json" || body.contentType.includes("*");
  if (body.kind === "json" && isUsual) return body.isScalar ? "application/json" : undefined;
  return body.contentType;
}

function writeData(body: BodyPlan | undefined, isSplit: boolean): string[] {
  if (body === undefined) return [];
  const { key, kind } = body;
  const value = key === undefined ? (isSplit ? "body" : "input") : toMember("input", key);
  const given = `${body.isRequired || key === undefined ? "" : `${value} === undefined ? undefined : `}`;
  switch (kind) {
    case "form":
      return [`data: ${given}toForm(${value}${writeNames(body.deep)}),`];
    case "multipart":
      return [`data: ${given}toParts(${value}${writeNames(body.files)}),`];
    case "bytes":
      return [`data: ${given}fromBase64(${value}),`];
    case "text":
      return [`data: ${value},`];
    case "json":
      return [body.isScalar ? `data: ${given}JSON.stringify(${value}),` : `data: ${value},`];
  }
}

function writeNames(names: readonly string[]): string {
  return names.length === 0 ? "" : `, [${names.map(toLiteral).join(", ")}]`;
}

/** Where the fields of the body stand next to others, they are taken apart. */
function hasFieldsOfItsOwn({ input, pages }: ActionPlan): boolean {
  return input.parameters.length > 0 || pages !== undefined;
}

function writeSplit(plan: ActionPlan): string[] {
  const { input } = plan;
  if (input.body === undefined || input.body.key !== undefined || !hasFieldsOfItsOwn(plan))
    return [];
  const others = input.parameters.map(({ key }, index) => `${toKey(key)}: _${index},`);
  return ["const {", indent([...others, "...body"].join("\n")), "} = input;"];
}
