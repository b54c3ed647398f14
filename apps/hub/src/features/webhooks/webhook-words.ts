import type { DeliveryFailure, DeliveryState, DeliveryView, WebhookStop, WebhookView } from '@roundhouse/backend-types'
import type { BadgeTone } from '../../ui/status-badge'

/** Topics that people ask for, in the order of the form. */
export const usualTopics = [
  { pattern: 'system.permission.*', means: 'A permission request opens or closes' },
  { pattern: 'system.turn.completed', means: 'A turn ends' },
  { pattern: 'system.session.ended', means: 'A session ends' },
  { pattern: 'system.tree.stopped', means: 'A tree of sessions is stopped' },
  { pattern: 'worker.*.event', means: 'A worker is blocked, asks, or reports progress or an error' },
  { pattern: 'worker.*.complete', means: 'A worker is done' },
] as const

/** What the form calls a topic; the pattern itself where it has no name there. */
export const topicWords = (topics: readonly string[]): string =>
  topics.map((topic) => usualTopics.find(({ pattern }) => pattern === topic)?.means ?? topic).join(' · ')

const stops: Record<WebhookStop, string> = {
  gone: 'The hub turned it off: the address answered that it is gone (410).',
  failing: 'The hub turned it off: nothing arrived for five days.',
  owner: 'The hub turned it off: its person could not sign in any more.',
  demoted: 'The hub turned it off: the role of its person was lowered.',
  secret: 'The hub turned it off: it lost the key that protects the secret. Create a new secret.',
}

export interface WebhookStatus {
  tone: BadgeTone
  label: string
  /** What a person should know or do. */
  means?: string
}

export function statusOf({ enabled, stopped, failingSince, deliveredAt }: WebhookView): WebhookStatus {
  if (!enabled)
    return { tone: stopped ? 'failed' : 'quiet', label: 'Off', ...(stopped ? { means: stops[stopped] } : {}) }
  if (failingSince !== null)
    return {
      tone: 'failed',
      label: 'Failing',
      means: 'The last message did not arrive. The hub sends it again, and newer messages wait behind it.',
    }
  return deliveredAt === null ? { tone: 'quiet', label: 'Nothing delivered yet' } : { tone: 'done', label: 'Working' }
}

const states: Record<DeliveryState, { tone: BadgeTone; label: string }> = {
  waiting: { tone: 'quiet', label: 'Waiting' },
  retrying: { tone: 'needs', label: 'Trying again' },
  delivered: { tone: 'done', label: 'Delivered' },
  failed: { tone: 'failed', label: 'Failed' },
  dropped: { tone: 'quiet', label: 'Not sent' },
}

export const stateOf = ({ state }: DeliveryView) => states[state]

const failures: Record<DeliveryFailure, string> = {
  answer: 'the address did not accept it',
  redirect: 'the address sent the hub elsewhere, which it does not follow',
  address: 'the hub does not send to this address',
  name: 'the name has no address',
  connect: 'no connection',
  tls: 'the certificate is not valid',
  timeout: 'no answer in time',
  closed: 'the connection ended without an answer',
}

/** Why the newest attempt failed, such as `500: the address did not accept it`; null: it arrived, or was not made. */
export function failureOf({ log }: DeliveryView): string | null {
  const last = log.at(-1)
  if (!last?.failure) return null
  return last.status === null ? failures[last.failure] : `${last.status}: ${failures[last.failure]}`
}

export const attemptsOf = ({ attempts }: DeliveryView): string =>
  attempts === 1 ? '1 attempt' : `${attempts} attempts`

/** What the button says that sends it once more, or at once; null: it is a test, or waits for its first attempt, or nobody wants it. */
export function againWords({ kind, state }: DeliveryView): string | null {
  if (kind === 'ping') return null
  if (state === 'retrying') return 'Try now'
  return state === 'delivered' || state === 'failed' ? 'Send again' : null
}
