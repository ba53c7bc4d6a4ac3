// The page's policy for Trusted Types, which its Content-Security-Policy requires. Mantine
// writes text of styles by innerHTML; markup never passes.

interface Policies {
  createPolicy(name: string, rules: {createHTML: (text: string) => string}): unknown;
}

const policies = (window as Window & {trustedTypes?: Policies}).trustedTypes;

policies?.createPolicy("default", {
  createHTML(text) {
    if (text.includes("<")) throw new TypeError("markup from a string is not allowed");
    return text;
  },
});
