/** Limits of lib/api that are needed where loading its schemas would cost a start-up; a test holds them equal. */

/** `MAX_NAME` of lib/api/session.ts. */
export const MAX_NAME_LENGTH = 40;
/** The longest message and the longest answer in words, in characters: `spec.messages` and `spec.answer.text`. */
export const MAX_TEXT = 16_384;
/** The most messages of a Session: `spec.messages`. */
export const MAX_MESSAGES = 64;
