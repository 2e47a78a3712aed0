// Names for parts of the wire's types, and which reply belongs to which request.

import type {
  BoardLayout,
  Bots,
  ChallengeList,
  Done,
  Event,
  Explored,
  Failed,
  Featured,
  FromClient,
  GameCatalogue,
  GameEntry,
  GameList,
  Hello,
  HintList,
  HistoryList,
  InviteList,
  InviteState,
  LiveChange,
  LobbyChange,
  MuteList,
  Pong,
  PositionList,
  Seek,
  StandingList,
  TalkList,
  Tokens,
  UserProfile,
} from "../generated/protocol.js";

import type * as Wire from "../generated/protocol.js";

export * from "../generated/protocol.js";

export type Snapshot = Wire.Snapshot & { winning?: string[] };
export type PlyPosition = Wire.PlyPosition & { winning?: string[] };

export type EventFrame = Event;
export type Request = FromClient;
export type Auth = NonNullable<Hello["auth"]>;
export type Cursor = NonNullable<Hello["resume"]>[string];
export type Clock = NonNullable<Seek["clock"]>;
export type Options = GameEntry["options"];
export type Sketch = NonNullable<Extract<FromClient, { type: "hints" }>["sketch"]>;
export type SketchAnswer = NonNullable<HintList["sketch"]>;
export type Step = Wire.FirstStep;
export type Steps = Wire.FirstSteps;

/** Replies that are not a plain `ok`. */
interface Typed {
  watch: Snapshot | Done;
  layout: BoardLayout;
  hints: HintList;
  explore: Explored;
  games: GameList;
  challenges: ChallengeList;
  catalogue: GameCatalogue;
  standings: StandingList;
  user: UserProfile;
  history: HistoryList;
  invite_info: InviteState;
  invites: InviteList;
  lobby: LobbyChange;
  live: LiveChange;
  tv: Featured;
  positions: PositionList;
  talk: TalkList;
  mutes: MuteList;
  blocks: Wire.BlockList;
  push_list: Wire.PushSubscriptions;
  webhook_get: Wire.Webhook;
  settings_get: Wire.SettingsState;
  settings_set: Wire.SettingsState;
  token_list: Tokens;
  bot_list: Bots;
  ping: Pong;
}

export type ReplyTo<Type extends string> = Type extends keyof Typed ? Typed[Type] : Done;
export type Reply = (Typed[keyof Typed] | Done | Failed) & { re?: string | null };

/** A request before it has an id. */
export type NewRequest = FromClient extends infer Each
  ? Each extends { id: string }
    ? Omit<Each, "id"> & { id?: string }
    : never
  : never;
