// The descriptions that a server has of itself, in the usual validators.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Parser } from "@asyncapi/parser";
import { REPLIES } from "../dist/requests.js";
import { LONG, Server } from "./server.ts";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const execute = promisify(execFile);

describe("the descriptions of a server", () => {
  const texts = new Map<string, string>();
  let folder = "";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "adamant-descriptions-"));
    const server = await Server.start();
    for (const name of ["asyncapi.json", "openapi.json", "v1.d.ts"]) {
      const answer = await fetch(`${server.url.replace("ws:", "http:")}/schema/${name}`);
      assert.equal(answer.status, 200);
      texts.set(name, await answer.text());
      await writeFile(join(folder, name), text(name));
    }
    await server.remove();
  });

  after(() => rm(folder, { recursive: true, force: true }));

  const text = (name: string) => texts.get(name) ?? "";

  test("AsyncAPI is valid, and names the reply of each request", LONG, async () => {
    const { document, diagnostics } = await new Parser().parse(text("asyncapi.json"));
    // Severity 0 is an error and 1 a warning; what is left are recommendations.
    assert.deepEqual(diagnostics.filter(({ severity }) => severity < 2), []);
    assert(document !== undefined);
    assert.equal(document.version(), "3.0.0");
    const requests = document.operations().filterByReceive();
    assert(requests.length > 50);
    for (const request of requests) {
      const type = request.id() ?? "";
      const replies = request.reply()?.messages().all().map((message) => message.name());
      if (type === "hello") continue;
      const known: readonly string[] = REPLIES[type as keyof typeof REPLIES] ?? ["ok"];
      assert.deepEqual(replies, [...known, "error"], type);
    }
  });

  test("OpenAPI is valid", async () => {
    // A WebSocket is opened with 101.
    const rules = ["--extends=recommended", "--skip-rule=operation-2xx-response"];
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const redocly = join(HERE, "node_modules/@redocly/cli/bin/cli.js");
    const lint = [redocly, "lint", ...rules, "--format=json", "openapi.json"];
    const { stdout } = await execute(process.execPath, lint, { cwd: folder, env });
    assert.deepEqual(JSON.parse(stdout).problems, []);
  });

  test("the types for TypeScript are those of this package, and compile", async () => {
    assert.equal(text("v1.d.ts"), await readFile(join(HERE, "src/protocol.ts"), "utf8"));
    await writeFile(
      join(folder, "program.ts"),
      `import type { FromClient, ToClient } from "./v1.js";
export const request: FromClient = { type: "watch", id: "1", game: "2bhz75dj" };
export const reply = (message: ToClient) => (message.type === "snapshot" ? message.seq : undefined);
// @ts-expect-error a request has an id
export const wrong: FromClient = { type: "watch", game: "2bhz75dj" };
`,
    );
    const tsc = join(HERE, "node_modules/.bin/tsc");
    await execute(tsc, ["--noEmit", "--strict", "--module", "nodenext", "program.ts", "v1.d.ts"], { cwd: folder });
  });
});
