import {Drawer, Modal, createTheme, defaultVariantColorsResolver, type MantineColorsTuple} from "@mantine/core";

// The accent of tokens.css as the ten shades that Mantine asks for; the tokens decide what
// is shown.
const accent: MantineColorsTuple = [
  "#e3f1ef", "#c8e4e0", "#9fd0ca", "#72bab2", "#4dc4b6", "#2a938a", "#0b6e66", "#0a625b", "#08544e", "#064640",
];

// The greys of fields, menus and controls in the dark theme, between its text and its ground.
const dark: MantineColorsTuple = [
  "#e6e9ec", "#c3cad1", "#9aa4ae", "#7a858f", "#3d4751", "#2c343c", "#20262d", "#181d23", "#101418", "#0b0e11",
];

// Dialogs open and close at once: one that still fades out would lie over the next, with its
// buttons.
const dialog = {closeButtonProps: {"aria-label": "Close"}, transitionProps: {duration: 0}};

export const theme = createTheme({
  colors: {accent, dark},
  primaryColor: "accent",
  primaryShade: {light: 6, dark: 4},
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    if (input.variant !== "filled") return colors;
    // In the dark theme both colours are light: the text on them is that of the ground.
    if ((input.color ?? "accent") === "accent") return {...colors, color: "var(--on-accent)"};
    return input.color === "var(--down)" ? {...colors, color: "var(--surface)"} : colors;
  },
  defaultRadius: 4,
  fontSizes: {xs: "12px", sm: "13px", md: "14px", lg: "15px", xl: "20px"},
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "var(--mono)",
  respectReducedMotion: true,
  cursorType: "pointer",
  components: {
    Modal: Modal.extend({defaultProps: dialog}),
    Drawer: Drawer.extend({defaultProps: dialog}),
  },
});
