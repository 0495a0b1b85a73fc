/** `tiny n`: no. */
import { defineYesNo } from '../question/yes-no.ts';

export const define = defineYesNo('no');
