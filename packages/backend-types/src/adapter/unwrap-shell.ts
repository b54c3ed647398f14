/**
 * Unwraps `/bin/bash -lc '...'` to the command that people read. It removes only one exact single quoting, so that nothing
 * can hide in it.
 */
export function unwrapShell(command: string): string {
  const inside = /^\/bin\/(?:ba|z)?sh -lc '([^']*)'$/.exec(command)?.[1]
  return inside ?? command
}
