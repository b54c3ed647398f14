/**
 * The command that continues the conversation in a terminal of the machine. Null if the program has no such command, or has
 * not named the conversation yet.
 */
import type { BackendManifestEntry, SessionView } from '@roundhouse/backend-types'

export function terminalCommand(
  { backendSessionId, realWorkDir, settings }: Pick<SessionView, 'backendSessionId' | 'realWorkDir' | 'settings'>,
  backend: Pick<BackendManifestEntry, 'terminalResume'> | undefined,
): string | null {
  if (backendSessionId === undefined || backend?.terminalResume === undefined) return null
  const resume = backend.terminalResume.replace('{id}', () => asWord(backendSessionId))
  return `cd ${asWord(realWorkDir ?? settings.workDir)} && ${resume}`
}

/** Quotes any text as one word of a POSIX shell. A folder that begins with a dash does not become an option. */
function asWord(text: string): string {
  if (/^[\w/][\w./-]*$/.test(text)) return text
  return `'${text.replaceAll("'", "'\\''")}'`
}
