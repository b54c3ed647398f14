/** A host that only writes. It waits a moment for its daemon, so a short look lets it end at once. */
import { setTimeout as delay } from 'node:timers/promises'
import { CodedError } from '@roundhouse/backend-types'
import type { HostClient } from '../../host-contract/client'
import type { HostDoor } from '../../host-contract/host-door'
import type { LaunchedHost } from '../../host-contract/launch'
import { meaningOfExit } from './host-exits'
import type { HostedSessionPorts, LaunchMode } from './hosted-session-ports'

const CLOSE_LIMIT_MS = 20_000

export async function runThrough(
  sessionId: string,
  mode: LaunchMode,
  ports: Pick<HostedSessionPorts, 'launch' | 'reap' | 'settled' | 'noticeMark'>,
  reach: (door: HostDoor, host: LaunchedHost) => Promise<{ client: HostClient }>,
): Promise<void> {
  const { door, host } = ports.launch(sessionId, mode)
  void reach(door, host).then(
    ({ client }) => client.close(),
    () => {},
  )
  const late = { code: null, signal: 'SIGKILL' as const, late: true }
  const end = await Promise.race([host.exited, delay(CLOSE_LIMIT_MS, late, { ref: false })])
  if ('late' in end) await ports.reap(sessionId)
  ports.settled(sessionId, mode.mode === 'rebase')
  if (end.code === 0) return
  requireUnmarked(sessionId, ports)
  const meaning = meaningOfExit(sessionId, end.code)
  if (meaning) throw meaning
  const how = end.code ?? end.signal
  throw new CodedError('INTERNAL', `The host in mode ${mode.mode} of ${sessionId} ended with ${how}; see host.log.`)
}

/** A log that a host found damaged is replaced, and then the call is repeated. */
export function requireUnmarked(sessionId: string, ports: Pick<HostedSessionPorts, 'noticeMark'>): void {
  if (!ports.noticeMark(sessionId)) return
  throw new CodedError('STORAGE_UNAVAILABLE', 'The log of this session is damaged and is being replaced.')
}
