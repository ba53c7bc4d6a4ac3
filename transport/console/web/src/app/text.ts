// Words for error codes, where what the service says can be said better on a page.
export const errorText: Readonly<Record<string, string>> = {
  no_answer: "The service does not answer.",
  outcome_unknown: "No answer came. Whether it was done is not known: look at the list before you try again.",
  scope_required: "Your role does not allow this.",
  rate_limited: "Too many attempts. Wait before the next one.",
  maintenance: "The service is starting or under maintenance. Try again in a moment.",
  internal_error: "The service made an error. It is in its log under the number below.",
};
