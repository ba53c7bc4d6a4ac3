import type { components, webhooks } from "./api.gen.js";

type AnyEvent = components["schemas"]["Event"];
type Posted<Type extends keyof webhooks> = webhooks[Type]["post"]["requestBody"]["content"]["application/json"];
/** The description of an event adds the payload of its type to that of any event. */
type Payload<Type extends keyof webhooks> =
  Posted<Type> extends AnyEvent & infer Rest ? (Rest extends { data?: infer Data } ? NonNullable<Data> : never) : never;

export type EventType = keyof webhooks;

/** An event; its `type` decides the type of `data`. A later version of the service may add types. */
export type Event = { [Type in EventType]: Omit<AnyEvent, "type" | "data"> & { type: Type; data: Payload<Type> } }[EventType];
