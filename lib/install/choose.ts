/** What is installed on which cluster, and what the person must know of it. Pure. */
import type { Features } from './features.ts';

export interface Wish {
  /** The resources alone: no functions, no roles, no policies. */
  minimal: boolean;
  /** Whether people were named whom functions may impersonate by the classic verb. */
  impersonates: boolean;
  /** Functions that are installed where somebody wants them. */
  functions?: readonly string[] | undefined;
  /** Do what is safe to refuse. */
  force: boolean;
}

/** One folder of manifests. Stages are applied in order, each finished before the next. */
export interface Stage {
  name: string;
  folder: string;
}

export type Choice = { stages: Stage[]; notes: string[] } | { refusal: string; hints: string[] };

const NO_POLICIES = (version: string) => ({
  refusal: `Kubernetes ${version} serves no ValidatingAdmissionPolicy, so anyone could write who asked for a Session`,
  hints: [
    'tiny needs Kubernetes 1.30 or newer, and 1.36 for all of it.',
    '`tiny install --minimal` needs neither: there nobody acts for another.',
  ],
});

const NOT_CLASSIC = (version: string) => ({
  refusal: `Kubernetes ${version} has constrained impersonation; the verb \`impersonate\` besides would undo it`,
  hints: [
    'It lets a function do anything as whom it names. Leave out --impersonate: functions may then act as whoever asked,',
    'and only on what they write. Where the feature was switched off by hand, --force goes on.',
  ],
});

const MINIMAL_NOTES = [
  'Minimal: Sessions and Questions as resources, and nothing else. `tiny` does the rest with the rights of whoever runs it.',
  'Give people roles yourself; rbac/base/people.yaml and rbac/base/direct.yaml are a start (docs/install.md).',
];

/** The parts of Knative that are missing, in words. */
function missing({ knative }: Features): string[] {
  const parts: [boolean, string][] = [
    [knative.eventing, 'Eventing (eventing.knative.dev)'],
    [knative.sources, 'its sources (sources.knative.dev)'],
    [knative.serving, 'Serving (serving.knative.dev)'],
  ];
  return parts.filter(([there]) => !there).map(([, name]) => name);
}

function knativeNotes(features: Features): string[] {
  const lacking = missing(features);
  if (!lacking.length) return [];
  const without = `Without Knative ${lacking.join(', ')}: no functions are installed.`;
  if (!features.knative.eventing)
    return [without, '`tiny` acts directly, with the rights of whoever runs it; bind tiny-direct to them as well.'];
  return [
    without,
    'Knative Eventing alone wakes nobody, and `tiny` leaves the work to functions where it sees it: install Serving too.',
  ];
}

/** Where the policies are; none on the stand-in, which stamps and verifies by itself. */
function policies({ stamps, verifies }: Features): Stage[] {
  if (!verifies) return [];
  return [{ name: 'Admission policies', folder: stamps ? 'rbac/policies' : 'rbac/policies/verify' }];
}

function notes(features: Features, { impersonates }: Wish): string[] {
  const { constrainedImpersonation, stamps, verifies, version, openshift } = features;
  return [
    ...(constrainedImpersonation || impersonates
      ? []
      : [
          `Kubernetes ${version} has no constrained impersonation (1.36): functions can act as nobody until you name people: --impersonate USER,…`,
        ]),
    ...(verifies && !stamps
      ? ['It has no MutatingAdmissionPolicy (1.36) either: `tiny` fills in who acts, and the server verifies it.']
      : []),
    ...(openshift ? ['OpenShift: the functions get the security context constraint nonroot-v2.'] : []),
    ...knativeNotes(features),
  ];
}

const withFunctions = ({ functions = [] }: Wish): Stage[] => [
  { name: 'Functions and eventing', folder: 'knative' },
  ...functions.map((name) => ({ name: `Function ${name}`, folder: `knative/${name}` })),
];

/** What to apply to a cluster with `features`, or why nothing. */
export function choose(features: Features, wish: Wish): Choice {
  const { constrainedImpersonation, verifies, standIn, version, openshift } = features;
  const resources = { name: 'Resources', folder: 'crds' };
  if (wish.minimal) return { stages: [resources], notes: MINIMAL_NOTES };
  if (!verifies && !standIn && !wish.force) return NO_POLICIES(version);
  if (wish.impersonates && constrainedImpersonation && !wish.force) return NOT_CLASSIC(version);
  return {
    stages: [
      resources,
      { name: 'Roles', folder: constrainedImpersonation ? 'rbac' : 'rbac/classic' },
      ...(openshift ? [{ name: 'OpenShift', folder: 'rbac/openshift' }] : []),
      ...policies(features),
      ...(missing(features).length ? [] : withFunctions(wish)),
    ],
    notes: notes(features, wish),
  };
}
