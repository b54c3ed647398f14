/** What the session is doing, read off its parts: the account that goes to the hub, and whether there is anything to wait for. */
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
import type { TurnRunner } from './turns/turn-runner'

export interface AccountedParts {
  journal: Journal
  hold: OutputHold
  runner: { readonly isStarting: boolean; readonly running: unknown }
  turns: TurnRunner
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

/** Something goes on, or is waited for, so the host may not end (SES-6). */
export function isBusy(parts: AccountedParts): boolean {
  const { entries, held } = parts.turns.waiting
  return isAtWork(parts) || (entries.length > 0 && !held)
}

/** More than prompts that wait: those wait as well without a host, for whoever gives it a place. */
export function isAtWork({ runner, turns, broker, background }: AccountedParts): boolean {
  const waits = broker.requests().length > 0 || background.size > 0
  return turns.current !== null || runner.isStarting || waits
}
