// How soon a click on a board is answered on a slow line.

import { ROUND_TRIP_MS } from "./thresholds.js";

/** @import {Page} from "playwright-core" */

/**
 * Delays the messages of a page in both directions.
 * @param {Page} page
 */
export async function delay(page) {
  await page.routeWebSocket(/v1\/ws/, (socket) => {
    const upstream = socket.connectToServer();
    socket.onMessage((data) => void setTimeout(() => upstream.send(data), ROUND_TRIP_MS / 2));
    upstream.onMessage((data) => void setTimeout(() => socket.send(data), ROUND_TRIP_MS / 2));
  });
}

/**
 * Clicks a cell, and returns how long the page takes to mark it in the same task.
 * @param {Page} page
 * @param {string} name
 */
export function clickToMark(page, name) {
  return page.evaluate((cell) => {
    const area = document.querySelector(`.cells [data-cell="${cell}"]`);
    const began = performance.now();
    area?.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
    const marked = document.querySelector(`.cells [data-cell="${cell}"]`)?.classList.contains("chosen") ?? false;
    return { marked, ms: performance.now() - began, targets: document.querySelectorAll(".cell.target").length };
  }, name);
}

/**
 * Clicks the first cell with which a move can begin, several times: other processes may interrupt
 * one of the clicks.
 * @param {Page} page at the user's turn
 */
export async function clickSource(page) {
  const source = page.locator(".board-area .cell:is(.source, .octagon)").first();
  const cell = (await source.getAttribute("data-cell")) ?? "";
  const clicks = [];
  for (let clicked = 0; clicked < 3; clicked += 1) {
    if (clicked > 0) await page.keyboard.press("Escape");
    clicks.push(await clickToMark(page, cell));
  }
  return { clicks, marked: clicks.every(({ marked }) => marked), ms: Math.min(...clicks.map(({ ms }) => ms)) };
}
