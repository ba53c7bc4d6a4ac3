// Which fields of the page have been edited since they were shown.

const edited = new Set<Element>();

addEventListener("input", ({target}) => {
  if (target instanceof Element && !target.closest("[role=search]")) edited.add(target);
}, {capture: true, passive: true});

/** isEdited reports whether a reload would lose something: what was typed into a field that is still there, or what a dialog shows, such as a secret. */
export function isEdited(): boolean {
  for (const field of edited) if (!field.isConnected) edited.delete(field);
  return edited.size > 0 || document.querySelector("[role=dialog]") !== null;
}
