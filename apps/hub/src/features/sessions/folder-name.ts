/** The last part of a folder's path, by which people know it; empty if the session's beginning is lost. Pure. */
export function folderName(path: string): string {
  const parts = path.split(/[\\/]/).filter(Boolean)
  return parts.slice(-2).join('/') || path || 'unknown folder'
}
