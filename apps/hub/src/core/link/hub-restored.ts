/**
 * REB-2: detects data that was restored by hand. An agent then holds acknowledgements, or a link of its chain (JOIN-4),
 * that this database does not have. The epoch changes, every command is asked about again, and everybody reconnects
 * with cursors and reports of the new epoch.
 *
 * This is believed once. An agent that claims such acknowledgements under an epoch that this process began lies or is
 * broken: its connection ends, and nobody else is affected.
 */

import { CodedError, CommandState } from '@roundhouse/backend-types'
import { commandStep } from '@roundhouse/delivery'
import { entryOf, hubItself } from '../audit/audit'
import { requireEpoch } from '../commands/require-epoch'
import type { OwnHub } from '../common/hub-identity'
import type { Log } from '../common/log'
import type { Doorbells } from '../doorbells/doorbells'
import type { Presence } from '../machines/presence'
import type { Transactions } from '../ports/stores'
import type { LinkFacts } from './link-facts'

export interface HubRestoredDeps {
  doorbells: Doorbells
  hub: OwnHub
  log: Log
  newHubEpoch: () => string
  now: () => number
  presence: Presence
  transactions: Transactions
}

/** An agent holds what this database gave under the present epoch and does not remember. Its connection ends. */
export async function hubRestored(deps: HubRestoredDeps, facts: LinkFacts): Promise<never> {
  const { hub } = deps
  if (hub.changedEpoch) throw refuseClaim(deps, facts)
  hub.changingEpoch ??= changeEpoch(deps, facts).finally(() => {
    hub.changingEpoch = null
  })
  await hub.changingEpoch
  throw new CodedError('HUB_RESTORED')
}

async function changeEpoch(deps: HubRestoredDeps, facts: LinkFacts): Promise<void> {
  const { hub, presence, doorbells, log, now } = deps
  const before = hub.hubEpoch
  const hubEpoch = deps.newHubEpoch()
  await deps.transactions.write(async (tx) => {
    requireEpoch(await tx.machines.find(facts.agentId), facts)
    await tx.hub.changeEpoch(hubEpoch)
    for (const state of CommandState.options) {
      const next = commandStep(state, 'restored')
      if (next !== state) await tx.commands.moveAll(state, next)
    }
    const detail = { saidBy: facts.agentId, before }
    await tx.audit.append(entryOf(hubItself, 'hub.restored', undefined, detail), now())
  })
  Object.assign(hub, { hubEpoch, changedEpoch: true })
  log.warn({ hubEpoch }, 'an agent has what this database gave and no longer has: the database was restored')
  for (const agentId of presence.agentIds()) presence.current(agentId)?.link.close(new CodedError('HUB_RESTORED'))
  doorbells.ring('hubEpoch', { hubEpoch })
}

function refuseClaim({ hub, log }: HubRestoredDeps, { agentId, link }: LinkFacts): CodedError {
  const { hubEpoch } = hub
  log.warn({ agentId, hubEpoch }, 'an agent claims acknowledgements that this hub never gave')
  const refusal = new CodedError('ACK_UNKNOWN')
  link.close(refusal)
  return refusal
}
