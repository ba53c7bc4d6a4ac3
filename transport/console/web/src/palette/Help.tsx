import {Modal} from "@mantine/core";
import {usePreferences} from "../app/preferences";
import {Keys} from "./Keys";

/** Help shows what keys do. */
export default function Help({close}: {close: () => void}) {
  const off = usePreferences().data?.shortcuts === false;
  return (
    <Modal opened onClose={close} title="Keyboard shortcuts" size="xl" returnFocus={false}>
      {off && <p className="dim">Single keys are switched off in the settings.</p>}
      <Keys/>
    </Modal>
  );
}
