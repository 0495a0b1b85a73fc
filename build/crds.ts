/** The CustomResourceDefinitions, made from the schemas of `lib/api`. */
import type { z } from 'zod';
import { GROUP, VERSION } from '../lib/api/meta.ts';
import { questionSpec, questionStatus } from '../lib/api/question.ts';
import { questionRules } from '../lib/api/question-rules.ts';
import type { RulesAt } from '../lib/api/rule.ts';
import { sessionSpec, sessionStatus } from '../lib/api/session.ts';
import { sessionRules } from '../lib/api/session-rules.ts';
import { attachRules, type JsonSchema, structuralSchema } from './structural-schema.ts';

interface Column {
  name: string;
  type: 'string' | 'date' | 'integer';
  jsonPath: string;
  description: string;
  priority?: number;
}

export interface Definition {
  kind: string;
  plural: string;
  shortNames: string[];
  description: string;
  spec: z.ZodType;
  status: z.ZodType;
  rules: RulesAt[];
  columns: Column[];
  selectableFields: string[];
}

const condition = (type: string, field: string) => `.status.conditions[?(@.type=="${type}")].${field}`;
const AGE: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since creation.',
};

export const DEFINITIONS: Definition[] = [
  {
    kind: 'Session',
    plural: 'sessions',
    shortNames: ['sess'],
    description: 'Session is the wish for one coding agent working on one task.',
    spec: sessionSpec,
    status: sessionStatus,
    rules: sessionRules,
    columns: [
      { name: 'Agent', type: 'string', jsonPath: '.spec.agent.name', description: 'The agent.' },
      { name: 'State', type: 'string', jsonPath: condition('Ready', 'reason'), description: "Ready's reason." },
      { name: 'Message', type: 'string', jsonPath: '.status.message', description: "The agent's own line." },
      {
        name: 'Requester',
        type: 'string',
        jsonPath: '.spec.requester.username',
        description: 'Who asked for it.',
        priority: 1,
      },
      {
        name: 'Parent',
        type: 'string',
        jsonPath: '.spec.parent',
        description: 'The Session that asked for it.',
        priority: 1,
      },
      {
        name: 'Repository',
        type: 'string',
        jsonPath: '.spec.repository.url',
        description: 'What it works on.',
        priority: 1,
      },
      AGE,
    ],
    selectableFields: ['.spec.parent', '.spec.agent.name', '.spec.requester.username'],
  },
  {
    kind: 'Question',
    plural: 'questions',
    shortNames: ['ques'],
    description: 'Question is what an agent asks a person. Answering it is an act.',
    spec: questionSpec,
    status: questionStatus,
    rules: questionRules,
    columns: [
      { name: 'Session', type: 'string', jsonPath: '.spec.session', description: 'Whose agent asks.' },
      { name: 'Kind', type: 'string', jsonPath: '.spec.kind', description: 'Ask, Permit or Spawn.' },
      { name: 'Text', type: 'string', jsonPath: '.spec.text', description: 'The question.' },
      { name: 'Answer', type: 'string', jsonPath: '.spec.answer.option', description: 'The chosen option.' },
      { name: 'By', type: 'string', jsonPath: '.spec.answer.by.username', description: 'Who answered.' },
      { name: 'Acted', type: 'string', jsonPath: condition('Acted', 'reason'), description: 'What came of it.' },
      AGE,
    ],
    selectableFields: ['.spec.session', '.spec.kind'],
  },
];

/** The schema of the whole object, with its rules. */
export function objectSchema({ description, spec, status, rules }: Definition): JsonSchema {
  const schema: JsonSchema = {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { ...structuralSchema(spec), description: 'What is asked for.' },
      status: { ...structuralSchema(status), description: 'What is so.' },
    },
  };
  attachRules(schema, rules);
  return schema;
}

export const customResourceDefinition = (definition: Definition) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${definition.plural}.${GROUP}`, labels: { 'app.kubernetes.io/part-of': 'tiny' } },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: {
      kind: definition.kind,
      listKind: `${definition.kind}List`,
      plural: definition.plural,
      singular: definition.kind.toLowerCase(),
      shortNames: definition.shortNames,
      categories: ['tiny'],
    },
    versions: [
      {
        name: VERSION,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: objectSchema(definition) },
        subresources: { status: {} },
        additionalPrinterColumns: definition.columns,
        selectableFields: definition.selectableFields.map((jsonPath) => ({ jsonPath })),
      },
    ],
  },
});
