import {Modal, type ModalProps} from "@mantine/core";
import {useState} from "react";
import {Submitting} from "./form";

/** Dialog is a modal that stays while a form in it is submitted: closed, it would hide the outcome, and the form could be submitted again. */
export function Dialog({onClose, children, ...rest}: ModalProps) {
  const [submitting, setSubmitting] = useState(false);
  return <Modal {...rest} onClose={() => submitting || onClose()}><Submitting value={setSubmitting}>{children}</Submitting></Modal>;
}
