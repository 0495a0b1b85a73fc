/** Limits of lib/api that are needed where loading its schemas would cost a start-up; a test holds them equal. */

/** `MAX_NAME` of lib/api/session.ts. */
export const MAX_NAME_LENGTH = 40;
