/** Function `question`: woken by a Question added or updated; when answered, acts as the answerer. */
import { questions } from '../lib/question/plan.ts';
import { run } from './main.ts';

run('question', questions);
