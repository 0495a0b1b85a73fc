/** What is generated from the schema of the settings: the reference page, and the policy that refuses what nobody understands. */
import { stringify } from 'yaml';
import { DESCRIBED, FORMATS, type Format, KEYS } from '../lib/settings/schema.ts';

const example = (value: string): string =>
  value
    .split('\n')
    .map((line) => `\`${line}\``)
    .join('<br>');

export const settingsPage = (): string => `# Settings of a project

<!-- Generated from lib/settings by \`npm run generate\`; edit the schema, not this page. -->

ConfigMap \`tiny-settings\` in the project. \`tiny settings\` shows, sets and compares them; \`kubectl edit configmap tiny-settings\` does as well. Who may
change them has the right to update \`settings.tiny.dev\` (ClusterRole \`tiny-admin\`, part of \`admin\`); who did is stamped into the annotation
\`tiny.dev/changed-by\`. A key that is not known, or a value that is not as it must be, is refused when it is written.

| key | | without it | for example | meaning |
| --- | --- | --- | --- | --- |
${DESCRIBED.map(({ key, format, absent, example: value, description }) => `| \`${key}\` | ${FORMATS[format].words} | ${absent} | ${example(value)} | ${description} |`).join('\n')}
`;

const list = (keys: readonly string[]): string => `[${keys.map((key) => `'${key}'`).join(', ')}]`;
const DATA = 'object.?data.orValue({})';

/** CEL strings, in which a backslash escapes. */
const quoted = (pattern: string): string => `'${pattern.replaceAll('\\', '\\\\')}'`;

function formatRule(format: Format) {
  const keys = DESCRIBED.filter((described) => described.format === format).map(({ key }) => key);
  const wrong = `${list(keys)}.filter(key, key in ${DATA} && !object.data[key].matches(${quoted(FORMATS[format].pattern)}))`;
  return {
    expression: `${wrong}.size() == 0`,
    messageExpression: `'settings that must be ${FORMATS[format].words.replaceAll('"', '')}: ' + ${wrong}.join(', ')`,
  };
}

/** The ValidatingAdmissionPolicy with its binding, as YAML. */
export function settingsPolicy(): string {
  const metadata = { name: 'tiny-settings-keys', labels: { 'app.kubernetes.io/part-of': 'tiny' } };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const unknown = `${DATA}.map(key, key).filter(key, !(key in ${list(KEYS)}))`;
  const resourceRules = [
    {
      apiGroups: [''],
      apiVersions: ['v1'],
      resources: ['configmaps'],
      operations: ['CREATE', 'UPDATE'],
      resourceNames: ['tiny-settings'],
    },
  ];
  const policy = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules },
      matchConditions: [
        { name: 'changes-a-setting', expression: `oldObject == null || ${DATA} != oldObject.?data.orValue({})` },
      ],
      validations: [
        {
          expression: `${unknown}.size() == 0`,
          messageExpression: `'no such settings: ' + ${unknown}.join(', ') + '; docs/settings.md lists them, and so does tiny settings'`,
        },
        ...(['flag', 'hours', 'count', 'text'] as const)
          .filter((format) => DESCRIBED.some((described) => described.format === format))
          .map(formatRule),
      ],
    },
  };
  const binding = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: { policyName: metadata.name, validationActions: ['Deny'] },
  };
  const text = [policy, binding].map((one) => stringify(one, { lineWidth: 0, aliasDuplicateObjects: false }));
  return `# Generated from lib/settings by \`npm run generate\`: what nobody understands is refused, so that a misspelt key leaves nothing open.\n${text.join('---\n')}`;
}
