import path from 'node:path'

/** Both are real paths. A folder is inside itself. */
export function isInside(inner: string, outer: string): boolean {
  if (inner === outer) return true
  return inner.startsWith(outer.endsWith(path.sep) ? outer : outer + path.sep)
}
