import {Button} from "@mantine/core";
import {Component, type ReactNode} from "react";

// Parts that are loaded later come from the version that the page was opened with. After an
// upgrade of the service they are gone, and only a reload helps.

/** Outdated shows what to do when a part of the page cannot be loaded or fails. */
export class Outdated extends Component<{children: ReactNode}, {failure?: Error}> {
  override state: {failure?: Error} = {};

  static getDerivedStateFromError(failure: Error) {
    return {failure};
  }

  override render() {
    if (!this.state.failure) return this.props.children;
    const outdated = /dynamically imported module|importing a module|preload css/i.test(this.state.failure.message);
    return (
      <main style={{padding: 32, maxWidth: 560, display: "grid", gap: 12, justifyItems: "start"}}>
        <h1>{outdated ? "A new version may run here" : "This page failed"}</h1>
        <p>{outdated ? "A part of the page could not be loaded. Reload it to go on." : this.state.failure.message}</p>
        <Button onClick={() => location.reload()}>Reload</Button>
      </main>
    );
  }
}
