/** A command behind `/bin/bash -lc '...'`, as people read it. Only an exact, single quoting is undone, so that nothing hides in it. */
export function unwrapShell(command: string): string {
  const inside = /^\/bin\/(?:ba|z)?sh -lc '([^']*)'$/.exec(command)?.[1]
  return inside ?? command
}
