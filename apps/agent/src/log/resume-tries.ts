/** Whether a session goes on by itself after a crash (RES-3), as its log says: for its hosts, and for the daemon between two. */
import type { HostState } from '@roundhouse/backend-types'

export const resumeTriesKey = 'resumeTries'
export const mostResumeTries = 3

const crashes: ReadonlySet<string> = new Set(['process_exited', 'host_died', 'agent_restarted'])

/** Its program did not end because somebody wanted it to. */
export const hasCrashed = ({ status }: Pick<HostState, 'status'>): boolean =>
  status.status === 'resumable' && crashes.has(status.why)

/** `value`: of a key in the log's table of single values. */
export function resumesByItself(value: (key: string) => string | null): boolean {
  const settings = value('settings')
  if (settings === null || Number(value(resumeTriesKey) ?? 0) >= mostResumeTries) return false
  return (JSON.parse(settings) as { settings?: { autoResume?: boolean } }).settings?.autoResume === true
}
