import react from "@vitejs/plugin-react";
import {defineConfig} from "vite";

// The service serves the files below /console/, writes a nonce into index.html for each
// answer, and serves everything in assets for a year: their names have a digest.
export default defineConfig({
  base: "/console/",
  plugins: [react()],
  build: {
    outDir: "dist",
    emptyOutDir: false,
    manifest: "manifest.json",
    modulePreload: {polyfill: false},
    assetsInlineLimit: 0,
    target: "es2022",
  },
});
