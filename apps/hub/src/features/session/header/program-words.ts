/** What a program says of itself, in words for people. Pure. */
import type { AccountInfo, McpServerStatus } from '@roundhouse/backend-types'
import type { BadgeTone } from '../../../ui/status-badge'

export interface ServerWords {
  tone: BadgeTone
  label: string
  /** Why it does not work, or how many tools it has. */
  detail: string
}

const states: Readonly<Record<string, { tone: BadgeTone; label: string }>> = {
  connected: { tone: 'done', label: 'Connected' },
  failed: { tone: 'failed', label: 'Failed' },
  'needs-auth': { tone: 'needs', label: 'Needs a login' },
  pending: { tone: 'quiet', label: 'Starting' },
  disabled: { tone: 'quiet', label: 'Off' },
}

export function serverWords({ status, error, tools }: McpServerStatus): ServerWords {
  const state = Object.hasOwn(states, status) ? states[status] : undefined
  const count = tools?.length ?? 0
  const offers = tools === undefined ? '' : count === 1 ? '1 tool' : `${count} tools`
  return { ...(state ?? { tone: 'quiet', label: status }), detail: error ?? offers }
}

const labels: ReadonlyArray<[keyof AccountInfo, string]> = [
  ['email', 'E-mail'],
  ['organization', 'Organization'],
  ['subscriptionType', 'Subscription'],
  ['tokenSource', 'Login'],
  ['apiKeySource', 'Key from'],
]

/** Of what the program says; `none` says nothing. */
export const accountRows = (account: AccountInfo): Array<[string, string]> =>
  labels.flatMap(([name, label]) => {
    const value = account[name]
    return value === undefined || value === '' || value === 'none' ? [] : [[label, value]]
  })
