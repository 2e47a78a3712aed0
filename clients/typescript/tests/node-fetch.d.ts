// `@asyncapi/parser` names types of this package, which has none.
declare module "node-fetch";
