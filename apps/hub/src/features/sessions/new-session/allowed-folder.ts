/** Whether a path is inside one of the folders that a machine allows, by its text alone: a link may lead elsewhere. Pure. */
export function isAllowedFolder(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root.replace(/([^\\/])$/, '$1/')))
}
