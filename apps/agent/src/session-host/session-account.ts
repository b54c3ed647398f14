/** Reads from the parts what the session is doing: the account for the hub, and whether the host has to wait for anything. */
import { shownQueue } from '@roundhouse/delivery'
import type { Journal } from './journal/journal'
import type { BackgroundTasks } from './output/background-tasks'
import type { LiveBlocks } from './output/live-blocks'
import type { OutputHold } from './output/output-hold'
import type { PermissionBroker } from './permissions/permission-broker'
import { statusOf } from './session-status'
import type { WishKeeper } from './settings/wish-keeper'
import type { HostStateParts } from './state-publisher'
import type { ProcessEnds } from './turns/process-ends'
import type { TurnState } from './turns/turn-state'

export interface AccountedParts {
  journal: Journal
  hold: OutputHold
  runner: { readonly isStarting: boolean; readonly startWaitsFor: string | null; readonly running: unknown }
  turns: TurnState
  broker: PermissionBroker
  ends: ProcessEnds
  live: LiveBlocks
  background: BackgroundTasks
  wish: Pick<WishKeeper, 'current'>
}

export function accountOf({
  journal,
  hold,
  runner,
  turns,
  broker,
  ends,
  live,
  background,
  wish,
}: AccountedParts): HostStateParts {
  const turnId = turns.current?.turnId
  const { entries, held } = turns.waiting
  const requests = broker.requests()
  return {
    status: statusOf({
      projection: journal.projection,
      diskStalled: hold.stalled,
      backlog: hold.backlog,
      isStarting: runner.isStarting,
      startWaitsFor: runner.startWaitsFor,
      isRunning: runner.running !== null,
      inTurn: turns.current !== null,
      openRequests: requests.length,
      planned: ends.planned,
      wish: wish.current,
    }),
    ...(turnId === undefined ? {} : { turnId }),
    queue: shownQueue(entries),
    queueHeld: held,
    requests,
    openBlocks: live.openBlocks(),
    ...(background.size === 0 ? {} : { background: [...background.list] }),
  }
}

/** The session does something or waits for something, so the host may not end (SES-6). */
export function isBusy(parts: AccountedParts): boolean {
  const { entries, held } = parts.turns.waiting
  return isAtWork(parts) || (entries.length > 0 && !held)
}

/** True for more than waiting prompts, which can wait without a host until the session gets a place. */
export function isAtWork({ runner, turns, broker, background }: AccountedParts): boolean {
  const waits = broker.requests().length > 0 || background.size > 0
  return turns.current !== null || runner.isStarting || waits
}
