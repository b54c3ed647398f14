/**
 * Waits a moment for what the machine says to a new session, so that a refusal is shown where it can be mended. A machine that
 * takes longer answers on the page of the session.
 */
import type { CodedReason, SessionView } from '@roundhouse/backend-types'
import { type HubClient, SessionWatch } from '@roundhouse/hub-client'

export type MachineAnswer = { kind: 'waits' } | { kind: 'taken' } | { kind: 'refused'; error: CodedReason }

export function answerIn({ head, status, commands }: Pick<SessionView, 'head' | 'status' | 'commands'>): MachineAnswer {
  if (head === 0 && status.status === 'ended' && status.error) return { kind: 'refused', error: status.error }
  const create = commands.find(({ kind }) => kind === 'session.create')
  const waits = head === 0 && create !== undefined && ['pending', 'sent'].includes(create.state) && !create.waits
  return { kind: waits ? 'waits' : 'taken' }
}

/** Resolves to what the machine refused. Such a session never began, so it is deleted where the person may do that. */
export async function refusalOfMachine(
  sessionId: string,
  { rest, socket }: Pick<HubClient, 'rest' | 'socket'>,
  waitMs = 3_000,
): Promise<CodedReason | undefined> {
  const answer = await answerOf(sessionId, { rest, socket }, waitMs)
  if (answer.kind !== 'refused') return undefined
  await rest.deleteSession(sessionId).catch(() => {})
  return answer.error
}

function answerOf(sessionId: string, { rest, socket }: Pick<HubClient, 'rest' | 'socket'>, waitMs: number) {
  return new Promise<MachineAnswer>((resolve) => {
    const done = (answer: MachineAnswer) => {
      clearTimeout(late)
      watch.close()
      resolve(answer)
    }
    const late = setTimeout(() => done({ kind: 'waits' }), waitMs)
    const hear = (view: SessionView) => {
      const answer = answerIn(view)
      if (answer.kind !== 'waits') done(answer)
    }
    const watch = new SessionWatch(sessionId, rest, socket, {
      onReset: ({ session }) => hear(session),
      onSession: hear,
      onEvents: () => done({ kind: 'taken' }),
      onBlocks: () => {},
      onRefused: () => done({ kind: 'waits' }),
    })
  })
}
