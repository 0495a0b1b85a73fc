/** Where the answer to a permission request says why it is a no, for agents that read what is there beside the outcome. */
export const REASON = 'tiny.dev/reason';
