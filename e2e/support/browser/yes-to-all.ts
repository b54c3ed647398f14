/** Allows every request of a session at the hub, and records the outcomes. */
import { realpathSync } from 'node:fs'
import type { SessionSettings } from '@roundhouse/backend-types'
import { eventsOf, logOf } from '../accounts/ledger'
import { until } from '../common/until'
import type { Rig } from '../rigs/rig'

export function yesToAll(rig: () => Rig) {
  const events = (sessionId: string) => eventsOf(logOf(rig().system.agent.sessionFolder(sessionId)))

  /** The outcome of each request of the session, and whether the request had a line about unknown facts. */
  function ends(sessionId: string): string[] {
    const notes = new Map<string, number>()
    return events(sessionId).flatMap((event) => {
      if (event.kind === 'permission_requested') notes.set(event.ask.requestId, event.ask.notes?.length ?? 0)
      if (event.kind !== 'permission_resolved') return []
      const noted = event.outcome === 'applied' && (notes.get(event.requestId) ?? 0) > 0 ? 'noted' : ''
      return [[event.outcome, event.rule ?? event.refusedBy ?? noted].join(' ').trim()]
    })
  }

  async function sayYesToAll(sessionId: string): Promise<void> {
    const answered = new Set<string>()
    await until('the turn to end', async () => {
      for (const { ask, decision, outcome } of (await rig().rest.snapshot(sessionId)).session.requests) {
        if (decision || outcome !== 'open' || answered.has(ask.requestId)) continue
        answered.add(ask.requestId)
        await rig()
          .allow(ask)
          .catch(() => {})
      }
      return events(sessionId).some(({ kind }) => kind === 'turn_completed')
    })
  }

  async function endsOf(calls: readonly object[], settings: Partial<SessionSettings> = {}): Promise<string[]> {
    const asking = calls.map((call) => ({ ...call, ask: true }))
    const sessionId = await rig().begin([...asking, { text: 'Done.' }], { sandbox: 'full-access', ...settings })
    await sayYesToAll(sessionId)
    return ends(sessionId)
  }

  /** The code with which the machine refuses to start such a session. */
  async function refusal(settings: Partial<SessionSettings>): Promise<string | undefined> {
    const agentId = (await rig().rest.agents()).items[0]?.agentId ?? ''
    const asked = {
      agentId,
      settings: { backend: 'scripted' as const, workDir: realpathSync(rig().system.workDir), ...settings },
      prompt: 'Go.',
    }
    const { sessionId } = await rig().rest.createSession(asked)
    const made = await until('an answer of the machine', async () => {
      const { commands: sent, head } = (await rig().rest.snapshot(sessionId)).session
      const create = sent.find(({ kind }) => kind === 'session.create')
      return head > 0
        ? { error: { code: 'STARTED' } }
        : create && !['pending', 'sent', 'accepted'].includes(create.state) && create
    })
    return made.error?.code
  }

  return { events, ends, sayYesToAll, endsOf, refusal }
}
