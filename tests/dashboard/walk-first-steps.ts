import type { FrameLocator, Locator, Page } from "playwright-core";
import { OWNER } from "../people/people-under-test.ts";

export interface Walker {
  readonly page: Page;
  /** The window that the next click opens. */
  nextPopup(click: () => Promise<void>): Promise<Page>;
}

/** What a person does: clicks, and fields that they fill in. */
export interface Work {
  readonly clicks: number;
  readonly fields: readonly string[];
}

/** From the link of the first start to the records of the simulated provider. */
export async function walkToRecords({ page, nextPopup }: Walker, link: string): Promise<Work> {
  const fields: string[] = [];
  let clicks = 0;
  const fill = async (label: string, value: string) => {
    fields.push(label);
    await page.getByLabel(label).fill(value);
  };
  const press = async (name: string | RegExp, from: Page | FrameLocator = page) => {
    clicks += 1;
    await buttonOf(name, from).click();
  };

  await page.goto(link);
  await fill("E-mail address", OWNER.email);
  await fill("Password", OWNER.password);
  await press("Become the owner");
  await press("Try it with a simulated HubSpot");
  await press("Add the simulated HubSpot");
  await press("Open the connect page");
  const consent = await nextPopup(async () => await press(/HubSpot/, connectPage(page)));
  await press("Allow", consent);
  await press("Deploy it");
  await page.getByRole("link", { name: "1,000 records" }).waitFor();
  return { clicks, fields };
}

/** Makes the provider fail in three ways, and lets it recover. `onBroken`: what is looked at while it is broken. */
export async function breakAndRecover(
  { page, nextPopup }: Walker,
  onBroken: () => Promise<void> = async () => undefined,
): Promise<void> {
  const connect = page.getByRole("listitem", { name: /Connect an account/ });
  const happened = page.getByRole("region", { name: "What happened" });
  const wrong = page.getByRole("region", { name: "What is wrong" });

  await page.getByRole("button", { name: "End its access tokens" }).click();
  await page.getByText("Access tokens from before are refused.").waitFor();
  // The refresh is an operation of its own, which is listed when it has ended.
  await happened
    .getByText(/refresh/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Refuse calls with 429" }).click();
  await page.getByText("Calls are refused for 5 seconds.").waitFor();
  await happened.getByText("running").first().waitFor();
  await happened.getByText("running").first().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Withdraw the access" }).click();
  const reconnect = connect.getByRole("button", { name: "Connect again" });
  await reconnect.waitFor();
  await wrong.getByRole("link", { name: "Why, and what helps" }).waitFor();
  await onBroken();
  await reconnect.click();
  const again = await nextPopup(async () => await buttonOf(/HubSpot/, connectPage(page)).click());
  await again.getByRole("button", { name: "Allow" }).click();
  await connect.getByText("Works").waitFor();
  // It runs the sync, too, which has failed since the access was withdrawn.
  await page.getByRole("button", { name: "Let it work again" }).click();
  await wrong.getByText("No open problems.").waitFor();
}

function connectPage(page: Page): FrameLocator {
  return page.frameLocator("iframe");
}

function buttonOf(name: string | RegExp, from: Page | FrameLocator): Locator {
  return from.getByRole("button", { name }).or(from.getByRole("link", { name })).first();
}
