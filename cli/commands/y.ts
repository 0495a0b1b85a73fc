/** `tiny y`: yes. */
import { defineYesNo } from '../question/yes-no.ts';

export const define = defineYesNo('yes');
