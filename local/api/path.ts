/** What a request's method and URL ask for, as Kubernetes lays out its paths. */
import { type Attributes, NOTHING } from '../types.ts';
import { selectedName } from './selectors.ts';

export type Target = Omit<Attributes, 'user'> & { query: URLSearchParams };

const BY_NAME: Record<string, string> = { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete', POST: 'create' };
const BY_COLLECTION: Record<string, string> = { ...BY_NAME, GET: 'list', DELETE: 'deletecollection' };

/** Reads `/api/v1/namespaces/NS/pods/NAME/log` and the like; what is no resource, or can't be read, keeps its path alone. */
export function parseTarget(method: string, url: string): Target {
  const [path = '', search] = url.split('?', 2);
  const query = new URLSearchParams(search);
  const target = { ...NOTHING, path, query };
  const [root, ...rest] = segments(path);
  const [group = '', version, ...parts] = root === 'api' ? ['', ...rest] : rest;
  const verb = BY_NAME[method] ?? method.toLowerCase();
  if (!root?.startsWith('api') || !version || parts.length === 0) return { ...target, verb: method.toLowerCase() };
  const object = { ...target, group, version, ...objectOf(parts) };
  return { ...object, ...(object.name ? { verb } : collection(method, query)) };
}

function segments(path: string): string[] {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return [];
  }
}

function objectOf(parts: string[]): { namespace: string; resource: string; name: string; subresource: string } {
  const within = parts[0] === 'namespaces' && parts.length > 2 && !['status', 'finalize'].includes(parts[2] ?? '');
  const [resource = '', name = '', ...subresource] = within ? parts.slice(2) : parts;
  const namespace = parts[0] === 'namespaces' ? (parts[1] ?? '') : '';
  return { namespace, resource, name, subresource: subresource.join('/') };
}

function collection(method: string, query: URLSearchParams): { verb: string; name: string } {
  const verb = BY_COLLECTION[method] ?? method.toLowerCase();
  const watch = verb === 'list' && ['true', '1'].includes(query.get('watch') ?? '');
  return { verb: watch ? 'watch' : verb, name: verb === 'create' ? '' : selectedName(query.get('fieldSelector')) };
}
