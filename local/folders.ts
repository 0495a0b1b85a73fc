/** Where a local cluster keeps what: a real API server's data, and its pods', are never mixed with the stand-in's. */
import { join } from 'node:path';

/** What a real API server keeps, in the cluster's folder. */
export const engineFolder = (folder: string): string => join(folder, 'kubernetes');

/** What the node keeps: pods, claims, logs. */
export const nodeFolder = (folder: string, isReal: boolean): string =>
  join(isReal ? engineFolder(folder) : folder, 'node');
