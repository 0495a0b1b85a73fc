/** The repository can't be worked on, for a reason that only a person can change. */
export class CloneRefusal extends Error {
  override name = 'CloneRefusal';
}
