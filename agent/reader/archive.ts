/** Placeholder. */
import type { Place, Printer } from './printer.ts';
export async function printArchive(_place: Place, _printer: Printer): Promise<void> {}
