// Words of tomorrow: an unknown word in every place of the schema neither ends nor silences a client.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RequestError } from "@adamant/client";
import { type Frame, frameOf, gameOf, kind, legalMove, newName, SILENT, within, World } from "./server.ts";

const UNKNOWN = "zz";

/** A word of a list in the schema. */
class Word {
  readonly word: string;

  constructor(word: string) {
    this.word = word;
  }

  toJSON(): string {
    return this.word;
  }
}

type Node = any;

/** Makes messages of the schema: each alternative occurs, and each optional field. */
class Schema {
  readonly #definitions: { [name: string]: Node };

  constructor(definitions: { [name: string]: Node }) {
    this.#definitions = definitions;
  }

  examples(node: Node): any[] {
    if (node.$ref !== undefined) return this.examples(this.#definitions[node.$ref.split("/").at(-1)]);
    if (node.const !== undefined) return [typeof node.const === "string" ? new Word(node.const) : node.const];
    if (node.enum !== undefined) return [new Word(node.enum[0])];
    const alternatives: Node[] | undefined = node.anyOf ?? node.oneOf;
    if (alternatives !== undefined) {
      // An open list is a closed one or any string.
      const known = alternatives.filter((one) => JSON.stringify(one) !== '{"type":"string"}');
      return (known.length > 0 ? known : alternatives).flatMap((one) => this.examples(one));
    }
    if (node.allOf !== undefined) return this.examples(node.allOf[0]);
    return [node.type ?? "object"].flat().flatMap((type: string) => this.#ofType(type, node));
  }

  #ofType(type: string, node: Node): any[] {
    if (type === "object") return this.#objects(node);
    if (type === "array") return [this.examples(node.items ?? { type: "string" })];
    return [{ integer: node.minimum ?? 1, number: 1.5, boolean: true, string: "x", null: null }[type]];
  }

  #objects(node: Node): any[] {
    const fields = Object.entries(node.properties ?? {}).map(([name, of]) => [name, this.examples(of)] as const);
    if (fields.length === 0 && typeof node.additionalProperties === "object") {
      fields.push(["x", this.examples(node.additionalProperties)]);
    }
    const first = Object.fromEntries(fields.map(([name, [example]]) => [name, example]));
    const others = fields.flatMap(([name, [, ...examples]]) => examples.map((one) => ({ ...first, [name]: one })));
    return [first, ...others];
  }
}

/** The places of words, and of objects that may get a further field. */
function places(value: any, path: string[] = []): string[][] {
  if (value instanceof Word) return [path];
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, field]) => places(field, [...path, name]));
  return Array.isArray(value) ? inner : [[...path, UNKNOWN], ...inner];
}

/** The same message with an unknown word or field in some places. */
function unknownAt(value: any, all: string[][]): Frame {
  const changed = JSON.parse(JSON.stringify(value));
  for (const path of all) {
    const inner = path.slice(0, -1).reduce((of, step) => of[step], changed);
    inner[path.at(-1) ?? ""] = UNKNOWN;
  }
  return changed;
}

describe("words", () => {
  const world = new World();

  test("no unknown word ends or silences a client", async () => {
    const answer = await fetch(`${world.server.url.replace("ws", "http")}/schema/v1.json`);
    const { $defs } = (await answer.json()) as { $defs: { [name: string]: Node } };
    const schema = new Schema($defs);
    const messages = ["ToClient", "Event"].flatMap((name) => schema.examples({ $ref: `#/$defs/${name}` }));
    const frames = messages
      .filter(({ type }) => type.word !== "welcome")
      .flatMap((message) => places(message).map((place) => unknownAt(message, [place])));
    assert.ok(frames.length > 500);
    for (const [number, frame] of frames.entries()) {
      // Each event is the first of a game.
      if ("game" in frame) Object.assign(frame, { game: `g${number}`, seq: 1, chain: "0".repeat(64) });
    }
    const proxy = await world.proxy();
    const limits = { eagerWaitMaxMs: 1 };
    const ann = await world.client(proxy.url, { name: newName(), limits, log: SILENT });
    const bob = await world.client();
    const game = gameOf(ann, await world.game([ann, bob]));
    const { welcome, token } = ann;
    for (const frame of frames) {
      if (!("re" in frame)) {
        proxy.sessions[0]?.send(JSON.stringify(frame));
        continue;
      }
      proxy.answer = ({ id }) => ({ ...frame, re: id });
      await within(ann.request("ping")).catch((error: unknown) => {
        assert.ok(error instanceof RequestError && frame.type === "error", `${error}`);
      });
    }
    proxy.answer = () => undefined;
    await within(ann.request("ping"));
    await frameOf(ann, kind(UNKNOWN));
    // A connection for each `welcome`.
    for (const example of schema.examples({ $ref: "#/$defs/Welcome" })) {
      const { opened } = proxy;
      const frame = unknownAt(example, places(example).filter((place) => place.join() !== "type"));
      Object.assign(frame, { token, limits: { ...frame.limits, ...welcome.limits } });
      proxy.change = (sent, text) => [sent.type === "welcome" ? JSON.stringify({ ...frame, re: sent.re }) : text];
      proxy.cut();
      await within(ann.request("ping"));
      assert.equal(proxy.opened, opened + 1);
    }
    proxy.change = (_, text) => [text];
    proxy.cut();
    await game.move(await legalMove(ann, game.id));
    await within(bob.request("ping"));
    assert.equal(gameOf(bob, game.id).ply, 1);
  });
});
