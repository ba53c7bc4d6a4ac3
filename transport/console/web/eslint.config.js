import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

// Amounts are decimal strings from the wire to the screen. Everything that turns a string
// into a JavaScript number is therefore banned; counts and durations arrive as numbers.
const noNumbers = ["Number", "parseFloat", "parseInt"].map((name) => ({
  name, message: "amounts are decimal strings",
}));

export default tseslint.config(
  {ignores: ["dist", "src/api/*.gen.ts"]},
  ...tseslint.configs.strict,
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: {"react-hooks": hooks},
    rules: {
      ...hooks.configs.recommended.rules,
      "no-restricted-globals": ["error", ...noNumbers],
      "no-restricted-syntax": ["error", {
        selector: "UnaryExpression[operator='+']",
        message: "amounts are decimal strings",
      }, {
        selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
        message: "text from outside is text",
      }],
    },
  },
  // A chart draws numbers.
  {files: ["src/live/scale.ts"], rules: {"no-restricted-globals": "off"}},
);
