/** Where a project wants people to be told, as its settings say it: keys `channels.NAME` of ConfigMap tiny-settings. Pure. */
import type { ConfigMap } from '../kube/types.ts';

export interface Wanted {
  channel: string;
  to: string;
}

const KEY = /^channels\.([a-z]{1,32})$/;

/** In the order of their names, so that two runs do the same. */
export const channelsOf = ({ data = {} }: Pick<ConfigMap, 'data'>): Wanted[] =>
  Object.keys(data)
    .sort()
    .flatMap((key) => {
      const [, channel] = KEY.exec(key) ?? [];
      const to = data[key]?.trim();
      return channel && to ? [{ channel, to }] : [];
    });
