/** What a check has found wrong, in the words of whoever has to mend it. */

export interface Finding {
  /** An error keeps tiny from working or from being safe; a warning may. */
  severity: 'error' | 'warning';
  /** One word for a machine. */
  reason: string;
  /** `Kind NAME`, and its namespace. */
  object: string;
  namespace?: string;
  what: string;
  why: string;
  /** A command, or what to do where none does it. */
  fix: string;
}

/** Errors first; within them the order in which they were found, which is that of cause and effect. */
export const sorted = (findings: readonly Finding[]): Finding[] =>
  [...findings].sort((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
