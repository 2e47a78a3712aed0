// Names for parts of the wire's types. The types are those of the TypeScript client.

import type {
  Event,
  FirstStep,
  FirstSteps,
  FromClient,
  GameEntry,
  Hello,
  HintList,
  Seek,
} from "../../clients/typescript/src/protocol.js";

export type * from "../../clients/typescript/src/protocol.js";
export type { Reply, ReplyTo } from "../../clients/typescript/src/requests.js";

export type EventFrame = Event;
export type Request = FromClient;
export type Auth = NonNullable<Hello["auth"]>;
export type Cursor = NonNullable<Hello["resume"]>[string];
export type Clock = NonNullable<Seek["clock"]>;
export type Options = GameEntry["options"];
export type Sketch = NonNullable<Extract<FromClient, { type: "hints" }>["sketch"]>;
export type SketchAnswer = NonNullable<HintList["sketch"]>;
export type Step = FirstStep;
export type Steps = FirstSteps;

/** A request before it has an id. */
export type NewRequest = FromClient extends infer Each
  ? Each extends { id: string }
    ? Omit<Each, "id"> & { id?: string }
    : never
  : never;
