import {Stack} from "@mantine/core";
import type {ReactNode} from "react";
import {useIsAsking} from "../../app/step-up";
import {Dialog} from "../../ui/Dialog";

interface Props {
  readonly opened: boolean;
  readonly close: () => void;
  readonly title: string;
  /** What each step is about. */
  readonly steps: readonly string[];
  /** The step that is shown, from 0. */
  readonly step: number;
  readonly children: ReactNode;
}

/** Wizard is a dialog of several steps, whose title announces them. */
export function Wizard({opened, close, title, steps, step, children}: Props) {
  const asking = useIsAsking();
  return (
    <Dialog opened={opened} onClose={close} centered size="lg" closeOnEscape={!asking} closeOnClickOutside={false}
      title={<span role="status">{title} · {step + 1} of {steps.length} · {steps[step]}</span>}>
      <Stack>{children}</Stack>
    </Dialog>
  );
}
