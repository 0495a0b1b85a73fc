/** Every word that a Question's conditions can say. All are the function's. */
export const CONDITION = {
  /** A person has answered in time, or nobody has. */
  answered: 'Answered',
  /** What the answer asked for was done, or why not. */
  acted: 'Acted',
} as const;

/** Reasons of Acted=True. */
export type Deed = 'Spawned' | 'Applied' | 'Permitted' | 'Told' | 'Denied';

export const DEED_MESSAGE: Record<Exclude<Deed, 'Spawned' | 'Applied'>, string> = {
  Permitted: 'the agent may go on with exactly this call',
  Told: 'the agent is told the answer',
  Denied: 'the answer was no, and nothing was done',
};
