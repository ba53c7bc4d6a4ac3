import {useSession} from "../../app/session";
import {Password} from "./Password";
import {SecondStep} from "./SecondStep";
import {Sessions} from "./Sessions";
import {Shortcuts} from "./Shortcuts";

/** Settings are those of the user: password, second step, shortcuts, sessions. */
export default function Settings() {
  const {secondStepMissing} = useSession();
  return (
    <>
      <h1>Settings</h1>
      {!secondStepMissing && <Password/>}
      <SecondStep/>
      {!secondStepMissing && <><Shortcuts/><Sessions/></>}
    </>
  );
}
