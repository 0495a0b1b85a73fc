/** How a project's settings are named. Apart from their schema, which no function carries. */

export const SETTINGS = 'tiny-settings';

/** The ConfigMap of the project `namespace`. */
export const settingsOf = (namespace: string | undefined): { name: string; namespace?: string } => ({
  name: SETTINGS,
  ...(namespace && { namespace }),
});
