// Updates of elements in place: what stays keeps its focus, its text and its listeners.

import assert from "node:assert/strict";
import { browser, long, server, setUp, visit } from "./harness.js";

/** @import {Page} from "playwright-core" */

/** @type {Page} */
let page;

setUp({
  ready: async () => {
    ({ page } = await visit(browser, `${server.url}/rules/adamas`));
  },
});

long("keyed elements stay when others come, go and change places", async () => {
  const outcome = await page.evaluate(async () => {
    const { html, update } = await import(/** @type {any} */ ("/page/current/ui/element.js"));
    const box = document.body.appendChild(html("div", {}));
    const list = (/** @type {string} */ keys) => update(box, [...keys].map((key) => html("button", { "data-key": key }, key)));
    const steps = [];
    list("abcd");
    const c = box.children[2];
    c.focus();
    for (const keys of ["acd", "xac", "cxb", "bcx", "c", "dec"]) {
      list(keys);
      steps.push([keys, box.textContent, [...box.children].includes(c)]);
    }
    return steps;
  });
  for (const [wanted, text, kept] of outcome) {
    assert.equal(text, wanted);
    assert.ok(kept, wanted);
  }
});

long("the focus and what the user has typed survive an update", async () => {
  const outcome = await page.evaluate(async () => {
    const { html, update } = await import(/** @type {any} */ ("/page/current/ui/element.js"));
    const box = document.body.appendChild(html("div", {}));
    const draw = (/** @type {string} */ label) => update(box, html("label", {}, label, html("input", { value: "before" })));
    draw("one");
    const input = box.querySelector("input");
    input.focus();
    input.value = "typed";
    draw("two");
    return { label: box.textContent, focused: document.activeElement === input, value: box.querySelector("input").value };
  });
  assert.deepEqual(outcome, { label: "two", focused: true, value: "typed" });
});

long("an element that stays has the listeners of the new content only", async () => {
  const heard = await page.evaluate(async () => {
    const { html, update } = await import(/** @type {any} */ ("/page/current/ui/element.js"));
    const box = document.body.appendChild(html("div", {}));
    /** @type {string[]} */
    const clicks = [];
    for (const name of ["first", "second"]) update(box, html("button", { onclick: () => clicks.push(name) }, "press"));
    box.firstChild.click();
    update(box, html("button", {}, "press"));
    box.firstChild.click();
    return clicks;
  });
  assert.deepEqual(heard, ["second"]);
});

long("if the focused element goes, the focus goes to the one in its place", async () => {
  const focused = await page.evaluate(async () => {
    const { html, update } = await import(/** @type {any} */ ("/page/current/ui/element.js"));
    const box = document.querySelector("main")?.appendChild(html("div", {}));
    const draw = (/** @type {string} */ keys) => update(box, [...keys].map((key) => html("button", { "data-key": key }, key)));
    draw("abc");
    box.children[1].focus();
    draw("ac");
    const beside = document.activeElement?.textContent;
    draw("");
    return [beside, document.activeElement?.localName];
  });
  assert.deepEqual(focused, ["c", "main"]);
});
