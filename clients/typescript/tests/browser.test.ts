// The package in a browser: without a build step, through a lost connection, and after a reload.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { chromium, type Page } from "playwright-core";
import { TOKEN_STORE } from "./readme.ts";
import { TIMEOUT_MS, World } from "./server.ts";

const CHROMIUM = process.env["ADAMANT_CHROMIUM"] ?? "/usr/bin/chromium";

/** A page that imports the package by its name, and plays one game. */
const page = (url: string) => `<!doctype html>
<script type="importmap">{ "imports": { "@adamant/client": "./dist/index.js" } }</script>
<script type="module">
import { Bot } from "@adamant/client";
${TOKEN_STORE}
class PageBot extends Bot {
  async idle() {
    await this.client.challenge("house-easy", { rules: "diam" });
  }
  choose(game) {
    return game.legal[Math.floor(Math.random() * game.legal.length)];
  }
}
const bot = new PageBot();
await bot.run("${url}", { name: "page-bot", tokenStore, games: 1 });
const [game] = bot.client.games.values();
document.title = JSON.stringify({ name: bot.client.name, id: game.id, result: game.result, record: game.record });
</script>`;

async function result(tab: Page) {
  await tab.waitForFunction(() => document.title !== "");
  return JSON.parse(await tab.title());
}

describe("in a browser", () => {
  const world = new World();

  /** Serves a page beside the built package, and returns its address. */
  async function served(html: string): Promise<string> {
    const site = createServer(async ({ url = "" }, response) => {
      const isModule = url.startsWith("/dist/");
      const body = isModule ? await readFile(new URL(`..${url}`, import.meta.url)).catch(() => "") : html;
      response.setHeader("content-type", isModule ? "text/javascript" : "text/html");
      response.end(body);
    });
    site.listen(0, "127.0.0.1");
    await once(site, "listening");
    world.atEnd(() => site.close());
    return `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  }

  test("a bot plays a whole game through a lost connection, and is the same user after a reload", async () => {
    const proxy = await world.proxy();
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--headless", "--no-sandbox"] });
    world.atEnd(() => browser.close());
    const tab = await browser.newPage();
    tab.setDefaultTimeout(TIMEOUT_MS);
    const errors: string[] = [];
    tab.on("pageerror", (error) => errors.push(error.message));
    let cuts = 0;
    proxy.change = (frame, text) => {
      if (frame.kind === "moved" && frame.seq >= 5 && cuts === 0) {
        cuts += 1;
        queueMicrotask(() => proxy.cut());
        return [];
      }
      return [text];
    };
    await tab.goto(await served(page(proxy.url)));
    const first = await result(tab);
    assert.equal(first.name, "page-bot");
    assert.ok(first.result.reason, "the game is over");
    assert.deepEqual(first.record, await world.server.log(first.id));
    assert.deepEqual([cuts, proxy.sent("hello").length], [1, 2]);
    await tab.reload();
    const second = await result(tab);
    assert.equal(second.name, "page-bot");
    assert.notEqual(second.id, first.id);
    assert.deepEqual(errors, []);
  });
});
