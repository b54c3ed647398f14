/** A host that only writes. It waits a moment for its daemon, so a short look lets it end at once. */
import { setTimeout as delay } from 'node:timers/promises'
import { CodedError } from '@roundhouse/backend-types'
import type { HostAttachment } from './host-attachment'
import { meaningOfExit } from './host-exits'
import type { HostedSessionPorts, LaunchMode, SessionRecords } from './hosted-session-ports'

const CLOSE_LIMIT_MS = 20_000

type RunPorts = Pick<HostedSessionPorts, 'processes' | 'records'>
type Attachment = Pick<HostAttachment, 'sessionId' | 'requireThere' | 'reach'>

export function runThrough(mode: LaunchMode, attachment: Attachment, ports: RunPorts): Promise<void> {
  return ports.processes.inStartTurn(attachment.sessionId, async () => {
    attachment.requireThere()
    await runNow(mode, attachment, ports)
  })
}

async function runNow(mode: LaunchMode, attachment: Attachment, { processes, records }: RunPorts): Promise<void> {
  const { sessionId } = attachment
  const { door, host } = processes.launch(sessionId, mode)
  void attachment.reach(door, host).then(
    ({ client }) => client.close(),
    () => {},
  )
  const late = { code: null, signal: 'SIGKILL' as const, late: true }
  const end = await Promise.race([host.exited, delay(CLOSE_LIMIT_MS, late, { ref: false })])
  if ('late' in end) await processes.reap(sessionId)
  records.settled(sessionId, mode.mode === 'rebase')
  if (end.code === 0) return
  requireUnmarked(sessionId, records)
  const meaning = meaningOfExit(sessionId, end.code)
  if (meaning) throw meaning
  const how = end.code ?? end.signal
  throw new CodedError('INTERNAL', `The host in mode ${mode.mode} of ${sessionId} ended with ${how}; see host.log.`)
}

/** A log that a host found damaged is replaced, and then the call is repeated. */
export function requireUnmarked(sessionId: string, records: Pick<SessionRecords, 'noticeMark'>): void {
  if (!records.noticeMark(sessionId)) return
  throw new CodedError('STORAGE_UNAVAILABLE', 'The log of this session is damaged and is being replaced.')
}
