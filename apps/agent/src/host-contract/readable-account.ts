/**
 * Makes a session's account (`HostState`) readable for its receiver. The host cuts its own account before it sends it, so that
 * no output of a program makes the account invalid for the daemon. The daemon reads as much as it can of an account that
 * another version sent, so that it never gives up a living host over an unknown field (RES-1). Pure.
 */
import {
  firstFault,
  HostState,
  Id,
  OpenBlock,
  PermissionAsk,
  QueueEntry,
  RunningTask,
  SessionStatus,
} from '@roundhouse/backend-types'
import { z } from 'zod'

const MOST_QUEUED = 200
const MOST_REQUESTS = 200
const MOST_BLOCKS = 64
const MOST_TASKS = 64
/** All requests together. One that does not fit comes with its event, and gets a place here once others are answered. */
const REQUESTS_CHARS = 2 * 1024 * 1024

export interface ReadAccount {
  state: HostState
  /** Why it is not all that was said. */
  problem: string | null
}

const Counters = HostState.pick({ sessionId: true, leaseToken: true, rev: true, atSeq: true })
const Rest = z.looseObject({})

/** Null where it is not even known which session it is, and how new it is. */
export function readableAccount(told: unknown): ReadAccount | null {
  const whole = HostState.safeParse(told)
  if (whole.success) return { state: whole.data, problem: null }
  const problem = firstFault(whole.error, 'account').text
  const counters = Counters.safeParse(told)
  if (!counters.success) return null
  return { state: { ...counters.data, ...readableParts(Rest.parse(told)) }, problem }
}

/** The oldest requests, as many as an account has room for. The same account where it fits. */
export function fittingAccount(state: HostState): HostState {
  const requests = withinRoom(state.requests)
  const isAll = requests.length === state.requests.length
  const fits = isAll ? state : { ...state, requests, openRequests: state.requests.length }
  return readableAccount(fits)?.state ?? fits
}

/** What remains of an account that is too long for a line: its session, how new it is, and its status. */
export function leastAccount({ background: _, ...state }: HostState): HostState {
  return { ...state, queue: [], requests: [], openBlocks: [] }
}

function readableParts(told: Record<string, unknown>): Omit<HostState, keyof z.infer<typeof Counters>> {
  const status = SessionStatus.safeParse(told.status)
  const turnId = Id.safeParse(told.turnId)
  return {
    status: status.success ? status.data : { status: turnId.success ? 'running' : 'idle' },
    ...(turnId.success ? { turnId: turnId.data } : {}),
    queue: listOf(QueueEntry, told.queue, MOST_QUEUED),
    queueHeld: told.queueHeld === true,
    requests: listOf(PermissionAsk, told.requests, MOST_REQUESTS),
    openBlocks: listOf(OpenBlock, told.openBlocks, MOST_BLOCKS),
    ...(told.background === undefined ? {} : { background: listOf(RunningTask, told.background, MOST_TASKS) }),
  }
}

function listOf<T>(schema: z.ZodType<T>, told: unknown, most: number): T[] {
  if (!Array.isArray(told)) return []
  return told
    .flatMap((one) => {
      const read = schema.safeParse(one)
      return read.success ? [read.data] : []
    })
    .slice(0, most)
}

function withinRoom(requests: readonly PermissionAsk[]): PermissionAsk[] {
  let left = REQUESTS_CHARS
  const fits = requests.slice(0, MOST_REQUESTS).findIndex((ask) => {
    left -= sizeOf(ask)
    return left < 0
  })
  return requests.slice(0, fits < 0 ? MOST_REQUESTS : fits)
}

/** A request does not change while it is open. */
const sizes = new WeakMap<PermissionAsk, number>()

function sizeOf(ask: PermissionAsk): number {
  const known = sizes.get(ask)
  if (known !== undefined) return known
  const size = JSON.stringify(ask).length
  sizes.set(ask, size)
  return size
}
