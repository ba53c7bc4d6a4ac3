import {useEffect, useRef} from "react";
import type {Held} from "./held";

/** usePainter calls paint when what is held has changed, at most once a frame, outside of React. */
export function usePainter<H extends Held>(held: H | undefined, paint: (held: H) => void): void {
  const newest = useRef(paint);
  useEffect(() => {
    newest.current = paint;
  });
  useEffect(() => {
    if (!held) return;
    let frame = 0;
    const schedule = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        newest.current(held);
      });
    };
    schedule();
    const end = held.watch(schedule);
    return () => {
      end();
      cancelAnimationFrame(frame);
    };
  }, [held]);
}

/** write sets the text of an element, if it is another one. */
export function write(element: Element | null | undefined, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}

/** mark sets an attribute of an element, or removes it. */
export function mark(element: HTMLElement, name: string, value: string | undefined): void {
  if (element.dataset[name] === value) return;
  if (value === undefined) Reflect.deleteProperty(element.dataset, name);
  else element.dataset[name] = value;
}
