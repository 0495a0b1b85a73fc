/** What stands in a new project's settings for whoever opens them with `kubectl edit`. Pure. */
import { DESCRIBED, type Described, FORMATS } from './schema.ts';

const HEAD = `Settings of this project. A key that is not there leaves everything as it says below.
Add keys beside this one: kubectl edit configmap tiny-settings, or tiny settings set KEY=VALUE
It takes the right to update settings.tiny.dev, which ClusterRole tiny-admin (and admin) gives.`;

/** As it would stand in YAML. */
function example({ key, format, example: value }: Described): string {
  if (format !== 'lines') return `  ${key}: ${JSON.stringify(value)}`;
  return [`  ${key}: |`, ...value.split('\n').map((line) => `    ${line}`)].join('\n');
}

const entry = (described: Described): string =>
  `${described.description} Without it: ${described.absent}. (${FORMATS[described.format].words})\n${example(described)}`;

const commented = (text: string): string => text.replace(/^/gm, '# ').replace(/^# $/gm, '#');

/** The policies look for a key, so a default that stood there as a key would be a setting. */
export const ABOUT: string = `${commented([HEAD, '', ...DESCRIBED.filter(({ key }) => key !== 'about.txt').map(entry)].join('\n'))}\n`;
