import {useState} from "react";
import type {Instrument, Position} from "../api/types";
import {Close} from "./Close";
import {Leverage, type Leveraged} from "./Leverage";
import {Protect} from "./Protect";

type Act = {readonly name: "close" | "protect"; readonly position: Position} | {readonly name: "leverage"; readonly of: Leveraged};

/** usePositionActs returns functions that open the dialogs to close and protect a position and to change its leverage, and those dialogs. */
export function usePositionActs(instrument?: Instrument) {
  const [act, setAct] = useState<Act>();
  const end = () => setAct(undefined);
  const of = (name: Act["name"]) => act?.name === name && "position" in act ? act.position : undefined;
  return {
    close: (position: Position) => setAct({name: "close", position}),
    protect: (position: Position) => setAct({name: "protect", position}),
    leverage: (of: Leveraged) => setAct({name: "leverage", of}),
    dialogs: <>
      <Close position={of("close")} instrument={instrument} close={end}/>
      <Protect position={of("protect")} close={end}/>
      <Leverage of={act?.name === "leverage" ? act.of : undefined} close={end}/>
    </>,
  };
}
