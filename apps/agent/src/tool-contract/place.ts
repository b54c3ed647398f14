/**
 * Where a program of a session reaches its session host: a socket for that session alone, and the key that the host asks for. Both
 * are in one variable of the environment, because everybody on the machine can read a command line.
 */

/** Its name has no word by which programs would hide it from their own commands. */
export const TOOLS_VARIABLE = 'ROUNDHOUSE_TOOLS'

export interface ToolsPlace {
  socketPath: string
  /** Of one host, for as long as it lives. */
  key: string
}

export const placeText = ({ socketPath, key }: ToolsPlace): string => `${key}@${socketPath}`

/** Null outside of a session, and in one whose host has no tools. */
export function placeIn(env: Readonly<Record<string, string | undefined>>): ToolsPlace | null {
  const [, key, socketPath] = /^([0-9a-f]{64})@(\/.+)$/s.exec(env[TOOLS_VARIABLE] ?? '') ?? []
  return key === undefined || socketPath === undefined ? null : { socketPath, key }
}
