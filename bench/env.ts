/** The environment of the measurements, read once. */
import { delimiter, dirname } from 'node:path';

/** The PATH for programs that are measured, with this Node first on it. */
export const path = [dirname(process.execPath), process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter);
