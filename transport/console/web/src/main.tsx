import "./app/trusted-types";
import "@mantine/core/styles/baseline.css";
import "@mantine/core/styles/default-css-variables.css";
import "@mantine/core/styles/global.css";
import "./ui/parts.css";
import "./ui/tokens.css";
import {StrictMode} from "react";
import {createRoot} from "react-dom/client";
import {markUnattended} from "./api/client";
import {App} from "./app/App";
import {isUsed} from "./app/used";
import {copyPlainDecimals} from "./money/copy";

const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
copyPlainDecimals();
markUnattended(() => !isUsed());
createRoot(root).render(<StrictMode><App/></StrictMode>);
