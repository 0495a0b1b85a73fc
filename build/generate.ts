/** Writes what is generated from `lib/api` and `lib/settings`: CRDs, reference pages and a policy. `--check` writes nothing and fails where a file is stale. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { customResourceDefinition, DEFINITIONS } from './crds.ts';
import { referencePage } from './reference.ts';
import { settingsPage, settingsPolicy } from './settings.ts';

const files = new Map<string, string>([
  ...DEFINITIONS.map((definition): [string, string] => [
    `crds/${definition.plural}.yaml`,
    `# Generated from lib/api by \`npm run generate\`.\n${stringify(customResourceDefinition(definition), { lineWidth: 0, aliasDuplicateObjects: false })}`,
  ]),
  ['docs/resources.md', referencePage(DEFINITIONS)],
  ['docs/settings.md', settingsPage()],
  ['rbac/policies/verify/settings-keys.yaml', settingsPolicy()],
]);

const check = process.argv.includes('--check');
const stale = [...files].filter(([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text);
for (const [file, text] of stale) {
  if (!check) writeFileSync(file, text);
  process.stderr.write(`${file} ${check ? 'is stale: run npm run generate' : 'written'}\n`);
}
if (check && stale.length) process.exitCode = 1;
